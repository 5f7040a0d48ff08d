<?php
// Books in an installation of Revive Adserver by its own classes: the folder of the installation and its host are the arguments,
// bookings as JSON come in, and the ids and invocation tags that Revive gave them go out.
$folder = $argv[1];
$host = $argv[2];
$plan = json_decode(stream_get_contents(STDIN), true, 512, JSON_THROW_ON_ERROR);
error_reporting(E_ALL & ~(E_NOTICE | E_WARNING | E_DEPRECATED));
ini_set('display_errors', 'stderr');
// On the command line Revive finds its settings by the host that is the first argument.
$GLOBALS['argv'] = $_SERVER['argv'] = [$argv[0], $host];
$GLOBALS['argc'] = $_SERVER['argc'] = 2;
chdir($folder . '/scripts/maintenance');
require_once $folder . '/init.php';
require_once MAX_PATH . '/lib/max/other/lib-acl.inc.php';
require_once MAX_PATH . '/lib/max/language/Loader.php';
require_once MAX_PATH . '/lib/OA/Auth.php';
require_once MAX_PATH . '/lib/OA/Permission.php';
require_once MAX_PATH . '/lib/OA/Permission/User.php';
require_once MAX_PATH . '/lib/OA/Dll/TargetingInfo.php';
require_once MAX_PATH . '/lib/OA/Maintenance/Priority.php';
require_once LIB_PATH . '/OperationInterval.php';
foreach (['Agency', 'Publisher', 'Advertiser', 'Campaign', 'Banner', 'Zone', 'Channel'] as $kind) {
    require_once MAX_PATH . "/lib/OA/Dll/$kind.php";
}

// An operator of a rule is known by its name for people.
Language_Loader::load('default', 'en');
$user = OA_Dal::factoryDO('users');
$user->get('username', $plan['user']);
$GLOBALS['session']['user'] = new OA_Permission_User($user);
phpAds_SessionDataRegister('user', $GLOBALS['session']['user']);

/** Stores a record by the class of Revive that its interface for programs uses, and returns its id. */
function store(string $kind, array $fields): int
{
    $class = "OA_Dll_$kind";
    $info = "{$class}Info";
    $record = new $info();
    foreach ($fields as $name => $value) {
        $record->$name = $value;
    }
    $dll = new $class();
    if (!$dll->modify($record)) {
        throw new Exception("$kind " . json_encode($fields) . ': ' . $dll->getLastError());
    }
    return $record->{lcfirst($kind) . 'Id'};
}

/** What the interface for programs has no field for is set in the row, by Revive's own class of the table. */
function change(string $table, int $id, array $columns): void
{
    if ($columns === []) {
        return;
    }
    $row = OA_Dal::factoryDO($table);
    $row->get($id);
    $row->setFrom($columns);
    $row->update();
}

function rulesOf(array $rules): array
{
    return array_map(function ($rule) {
        $info = new OA_Dll_TargetingInfo();
        foreach ($rule as $name => $value) {
            $info->$name = $value;
        }
        return $info;
    }, $rules);
}

$agency = store('Agency', $plan['agency']);
$site = store('Publisher', $plan['website'] + ['agencyId' => $agency]);
$channels = [];
foreach ($plan['channels'] as $channel) {
    $id = store('Channel', ['agencyId' => $agency, 'channelName' => $channel['name']]);
    $rules = rulesOf($channel['rules']);
    $dll = new OA_Dll_Channel();
    if (!$dll->setChannelTargeting($id, $rules)) {
        throw new Exception("channel {$channel['name']}: " . $dll->getLastError());
    }
    $channels[$channel['name']] = $id;
}
$zones = [];
foreach ($plan['zones'] as $zone) {
    $zones[$zone['zoneName']] = store('Zone', $zone + ['publisherId' => $site]);
}
$advertisers = array_map(fn($one) => store('Advertiser', $one + ['agencyId' => $agency]), $plan['advertisers']);
$campaigns = [];
$banners = [];
foreach ($plan['campaigns'] as $campaign) {
    $fields = $campaign['fields'];
    foreach (['startDate', 'endDate'] as $date) {
        if (isset($fields[$date])) {
            $fields[$date] = new Date($fields[$date]);
        }
    }
    if (isset($fields['revenue'])) {
        $fields['revenue'] = (float) $fields['revenue'];
    }
    $id = store('Campaign', $fields + ['advertiserId' => $advertisers[$campaign['advertiser']]]);
    change('campaigns', $id, $campaign['row']);
    $campaigns[$fields['campaignName']] = $id;
    foreach ($campaign['banners'] as $banner) {
        $fields = $banner['fields'];
        if (isset($banner['image'])) {
            $fields['aImage'] = ['filename' => $banner['image']['name'], 'content' => base64_decode($banner['image']['content'])];
        }
        $ad = store('Banner', $fields + ['campaignId' => $id]);
        change('banners', $ad, $banner['row']);
        $banners[$fields['bannerName']] = $ad;
        if ($banner['rules'] !== []) {
            // A rule of a channel names it.
            $rules = rulesOf(array_map(fn($rule) => ['data' => (string) ($channels[$rule['data']] ?? $rule['data'])] + $rule, $banner['rules']));
            $dll = new OA_Dll_Banner();
            if (!$dll->setBannerTargeting($ad, $rules)) {
                throw new Exception('rules of ' . json_encode($banner) . ': ' . $dll->getLastError());
            }
        }
        foreach ($banner['zones'] as $zone) {
            $dll = new OA_Dll_Zone();
            if (!$dll->linkBanner($zones[$zone], $ad)) {
                throw new Exception("link of $zone and {$fields['bannerName']}: " . $dll->getLastError());
            }
        }
    }
}

// An hour of traffic, by which Revive forecasts the zones: contract campaigns would hardly be shown in zones without any.
$hour = intdiv(time(), 3600) * 3600 - 3600;
[$from, $until] = [gmdate('Y-m-d H:00:00', $hour), gmdate('Y-m-d H:59:59', $hour)];
foreach ($plan['campaigns'] as $campaign) {
    foreach ($campaign['banners'] as $banner) {
        foreach ($banner['zones'] as $zone) {
            $counted = [
                'date_time' => $from,
                'ad_id' => $banners[$banner['fields']['bannerName']],
                'creative_id' => 0,
                'zone_id' => $zones[$zone],
                'requests' => $plan['hourly'],
                'impressions' => $plan['hourly'],
                'clicks' => 1,
            ];
            $interval = [
                'operation_interval' => 60,
                'operation_interval_id' => OX_OperationInterval::convertDateToOperationIntervalID(new Date($from)),
                'interval_start' => $from,
                'interval_end' => $until,
            ];
            foreach (['data_intermediate_ad' => $interval, 'data_summary_ad_hourly' => []] as $table => $more) {
                $row = OA_Dal::factoryDO($table);
                $row->setFrom($counted + $more + ['conversions' => 0, 'total_basket_value' => 0, 'total_num_items' => 0, 'updated' => $until]);
                $row->insert();
            }
        }
    }
}
OA_Maintenance_Priority::run();

$tags = [];
$kinds = ['async' => 'invocationTags:oxInvocationTags:async', 'frame' => 'adframe', 'script' => 'adjs', 'image' => 'adviewnocookies'];
foreach ($zones as $name => $id) {
    foreach ($kinds as $kind => $code) {
        $dll = new OA_Dll_Zone();
        $tags[$name][$kind] = $dll->generateTags($id, $code, ['comments' => 0]) ?: $dll->getLastError();
    }
}
echo json_encode(['agency' => $agency, 'zones' => $zones, 'campaigns' => $campaigns, 'banners' => $banners, 'tags' => $tags], JSON_THROW_ON_ERROR);
