<?php
// Decides by the delivery rules of a checkout of Revive Adserver, which is the first argument: a case of JSON a line in, 1 or 0 a line out.
define('MAX_PATH', $argv[1]);
ini_set('display_errors', 'stderr');
error_reporting(E_ALL & ~E_DEPRECATED & ~E_WARNING & ~E_NOTICE);
function OA_setTimeZone($zone)
{
    date_default_timezone_set($zone);
}
function OA_setTimeZoneUTC()
{
    date_default_timezone_set('UTC');
}
foreach (explode(',', $argv[2]) as $type) {
    require_once MAX_PATH . '/plugins_repo/openXDeliveryLimitations/plugins/deliveryLimitations/' . str_replace(':', '/', $type) . '.delivery.php';
}
while (($line = fgets(STDIN)) !== false) {
    ['rules' => $rules, 'visit' => $visit] = json_decode($line, true);
    $GLOBALS['_MAX']['CLIENT_GEO'] = [
        'country' => $visit['country'],
        'continent' => $visit['continent'],
        'subdivision_1' => $visit['region'],
        'city' => $visit['city'],
    ];
    $GLOBALS['_MAX']['CLIENT'] = ['browserName' => $visit['browser'], 'browserVersion' => 1, 'osName' => $visit['os'], 'osVersion' => '1'];
    $GLOBALS['loc'] = $visit['page'];
    $GLOBALS['referer'] = $visit['referrer'];
    $_SERVER['HTTP_ACCEPT_LANGUAGE'] = $visit['language'];
    $_REQUEST = $visit['keyValues'];
    // As MAX_AclGetCompiled writes them; rules of time take theirs from the case.
    $compiled = '';
    foreach ($rules as $i => $rule) {
        $data = $rule['type'] === 'Site:Hostnamelist' ? serialize(array_flip(explode("\n", $rule['data']))) : $rule['data'];
        $time = str_starts_with($rule['type'], 'Time:') ? ', ' . var_export(['timestamp' => $visit['at']], true) : '';
        $call = 'MAX_check' . str_replace(':', '_', $rule['type']) . '(' . var_export($data, true) . ', ' . var_export($rule['comparison'], true) . $time . ')';
        $compiled .= ($i > 0 ? ' ' . $rule['logical'] . ' ' : '') . $call;
    }
    $result = false;
    eval('$result = (' . $compiled . ');');
    echo $result ? "1\n" : "0\n";
}
