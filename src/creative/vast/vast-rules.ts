import type { VastVersion } from '../../catalog/model/video-rules.ts';
import type { VideoEvent } from '../../catalog/model/video-events.ts';
import type { ElementRules } from './xml.ts';

/** What a version of the standard has, in the order of its schema, which strict players ask for. */
export interface VastRules {
  readonly elements: ElementRules;
  /** Of a linear ad. */
  readonly events: readonly VideoEvent[];
  /** Elements of later versions that are extensions of this one. */
  readonly extended: readonly string[];
  /** Error elements of an ad. */
  readonly maxErrors: number;
  readonly namespace: string | undefined;
}

const COMMON: ElementRules = {
  AdSystem: { attributes: ['version'] },
  Creatives: { children: ['Creative'] },
  TrackingEvents: { children: ['Tracking'] },
  Tracking: { attributes: ['event'] },
  StaticResource: { attributes: ['creativeType'] },
  Icons: { children: ['Icon'] },
  Icon: {
    children: ['HTMLResource', 'IFrameResource', 'StaticResource', 'IconClicks', 'IconViewTracking'],
    attributes: ['program', 'width', 'height', 'xPosition', 'yPosition'],
  },
  IconClicks: { children: ['IconClickThrough', 'IconClickTracking'] },
  CompanionAds: { children: ['Companion'] },
  AdVerifications: { children: ['Verification'] },
  Verification: { children: ['JavaScriptResource', 'TrackingEvents', 'VerificationParameters'], attributes: ['vendor'] },
  JavaScriptResource: { attributes: ['apiFramework', 'browserOptional'] },
  UniversalAdId: { attributes: ['idRegistry'] },
  Mezzanine: { attributes: ['delivery', 'type', 'width', 'height', 'codec', 'fileSize'] },
  InteractiveCreativeFile: { attributes: ['type', 'apiFramework', 'variableDuration'] },
  Ad: { children: ['InLine', 'Wrapper'], attributes: ['id', 'sequence'] },
};

const EVENTS_2 = [
  ...(['creativeView', 'start', 'firstQuartile', 'midpoint', 'thirdQuartile', 'complete'] as const),
  ...(['mute', 'unmute', 'pause', 'rewind', 'resume', 'fullscreen', 'acceptInvitation'] as const),
];

/** Since VAST 4. */
const LATER = ['AdVerifications', 'UniversalAdId', 'Mezzanine', 'InteractiveCreativeFile'];

/** IAB VAST 2.0.1: http://www.iab.com/wp-content/uploads/2016/04/VAST-2_0-FINAL.pdf */
const VAST_2: VastRules = {
  elements: {
    ...COMMON,
    VAST: { children: ['Ad'] },
    Extensions: { children: ['Extension'] },
    Extension: { children: [...LATER, 'Icon'], attributes: ['type'] },
    Ad: { children: ['InLine', 'Wrapper'], attributes: ['id'] },
    InLine: { children: ['AdSystem', 'AdTitle', 'Description', 'Error', 'Impression', 'Creatives', 'Extensions'] },
    Wrapper: { children: ['AdSystem', 'VASTAdTagURI', 'Error', 'Impression', 'Creatives', 'Extensions'] },
    Creative: { children: ['Linear', 'CompanionAds'], attributes: ['id', 'sequence'] },
    Linear: { children: ['Duration', 'TrackingEvents', 'VideoClicks', 'MediaFiles'] },
    VideoClicks: { children: ['ClickThrough', 'ClickTracking'] },
    MediaFiles: { children: ['MediaFile'] },
    MediaFile: { attributes: ['id', 'delivery', 'type', 'bitrate', 'width', 'height', 'scalable', 'maintainAspectRatio'] },
    Companion: {
      children: ['StaticResource', 'IFrameResource', 'HTMLResource', 'TrackingEvents', 'CompanionClickThrough', 'AltText'],
      attributes: ['id', 'width', 'height'],
    },
  },
  events: EVENTS_2,
  extended: [...LATER, 'Icon'],
  maxErrors: 1,
  namespace: undefined,
};

/** IAB VAST 3.0. An answer without an ad has an Error, which its text has and its schema lacks (2.2.5.2). */
const VAST_3: VastRules = {
  elements: {
    ...VAST_2.elements,
    VAST: { children: ['Ad', 'Error'] },
    Ad: COMMON['Ad']!,
    InLine: {
      children: ['AdSystem', 'AdTitle', 'Description', 'Advertiser', 'Pricing', 'Error', 'Impression', 'Creatives', 'Extensions'],
    },
    Linear: { children: ['Icons', 'Duration', 'TrackingEvents', 'VideoClicks', 'MediaFiles'], attributes: ['skipoffset'] },
    MediaFile: { attributes: ['id', 'delivery', 'type', 'bitrate', 'width', 'height', 'scalable', 'maintainAspectRatio', 'codec'] },
    IconClicks: { children: ['IconClickTracking', 'IconClickThrough'] },
  },
  events: [...EVENTS_2, 'exitFullscreen', 'skip'],
  extended: LATER,
  maxErrors: 1,
  namespace: undefined,
};

/** IAB Tech Lab VAST 4.2. */
const VAST_4: VastRules = {
  elements: {
    ...COMMON,
    VAST: { children: ['Ad', 'Error'] },
    Ad: { children: ['InLine', 'Wrapper'], attributes: ['id', 'sequence', 'adType'] },
    InLine: {
      children: [
        ...['AdSystem', 'Error', 'Extensions', 'Impression', 'Pricing', 'ViewableImpression', 'AdServingId', 'AdTitle'],
        ...['AdVerifications', 'Advertiser', 'Category', 'Creatives', 'Description', 'Expires'],
      ],
    },
    Wrapper: {
      children: [
        ...['AdSystem', 'Error', 'Extensions', 'Impression', 'ViewableImpression', 'AdVerifications', 'BlockedAdCategories'],
        ...['Creatives', 'VASTAdTagURI'],
      ],
      attributes: ['followAdditionalWrappers', 'allowMultipleAds', 'fallbackOnNoAd'],
    },
    ViewableImpression: { children: ['Viewable'] },
    Category: { attributes: ['authority'] },
    Creative: { children: ['CompanionAds', 'CreativeExtensions', 'Linear', 'UniversalAdId'], attributes: ['id', 'sequence'] },
    Linear: { children: ['Icons', 'TrackingEvents', 'Duration', 'MediaFiles', 'VideoClicks'], attributes: ['skipoffset'] },
    MediaFiles: { children: ['ClosedCaptionFiles', 'MediaFile', 'Mezzanine', 'InteractiveCreativeFile'] },
    ClosedCaptionFiles: { children: ['ClosedCaptionFile'] },
    ClosedCaptionFile: { attributes: ['type', 'language'] },
    MediaFile: {
      attributes: ['id', 'delivery', 'type', 'width', 'height', 'codec', 'bitrate', 'scalable', 'maintainAspectRatio', 'fileSize'],
    },
    VideoClicks: { children: ['ClickTracking', 'ClickThrough'] },
    Companion: {
      children: [
        ...['HTMLResource', 'IFrameResource', 'StaticResource', 'AltText', 'CompanionClickThrough', 'CompanionClickTracking'],
        'TrackingEvents',
      ],
      attributes: ['id', 'width', 'height', 'renderingMode'],
    },
    CompanionClickTracking: { attributes: ['id'] },
  },
  // `notUsed` is in the text (3.14.1), and not in the schema.
  events: [
    ...(['loaded', 'start', 'firstQuartile', 'midpoint', 'thirdQuartile', 'complete', 'mute', 'unmute', 'pause', 'resume'] as const),
    ...(['rewind', 'skip', 'playerExpand', 'playerCollapse', 'creativeView', 'acceptInvitation', 'closeLinear', 'notUsed'] as const),
  ],
  extended: [],
  maxErrors: Infinity,
  namespace: 'http://www.iab.com/VAST',
};

export const VAST_RULES: Readonly<Record<VastVersion, VastRules>> = { '2.0': VAST_2, '3.0': VAST_3, '4.2': VAST_4 };
