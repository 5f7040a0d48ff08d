/** What players report of a VAST ad, by the names of VAST 4.2 (3.14) and, of full screens, of VAST 3.0. */
export const VIDEO_EVENTS = [
  ...(['loaded', 'creativeView', 'start', 'firstQuartile', 'midpoint', 'thirdQuartile', 'complete'] as const),
  ...(['mute', 'unmute', 'pause', 'resume', 'rewind', 'skip', 'playerExpand', 'playerCollapse'] as const),
  ...(['fullscreen', 'exitFullscreen', 'acceptInvitation', 'closeLinear', 'notUsed'] as const),
] as const;
export type VideoEvent = (typeof VIDEO_EVENTS)[number];

/** The codes of VAST 4.2 (2.3.6.3). Of an unknown one 900 is counted, which is "undefined". */
export const VIDEO_ERROR_CODES: ReadonlySet<string> = new Set(
  [
    ...[100, 101, 102, 200, 201, 202, 203, 204, 205, 206, 300, 301, 302, 303, 304, 400, 401, 402, 403, 405, 406, 407, 408, 409, 410],
    ...[500, 501, 502, 503, 600, 601, 602, 603, 604, 900, 901, 902],
  ].map(String),
);

/** The event types of a player's error, such as `error_303`. */
const ERROR = 'error';
const codeOf = (code: string | undefined): string => (code !== undefined && VIDEO_ERROR_CODES.has(code) ? code : '900');

const EVENTS: ReadonlySet<string> = new Set(VIDEO_EVENTS);

/** What is counted of a player's report; undefined: it is none. */
export const videoEventType = (type: string, code: () => string | undefined): string | undefined =>
  EVENTS.has(type) ? type : type === ERROR ? `${ERROR}_${codeOf(code())}` : undefined;

/** Event types as metrics name them: without the codes of errors. */
export const VIDEO_EVENT_LABELS = [...VIDEO_EVENTS, ERROR] as const;
export const labelOfEvent = (eventType: string): string => (eventType.startsWith(`${ERROR}_`) ? ERROR : eventType);
