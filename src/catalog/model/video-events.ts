/** What players report of a VAST ad, by the names of VAST 4.2 (3.14) and, of full screens, of VAST 3.0. */
export const VIDEO_EVENTS = [
  ...(['loaded', 'creativeView', 'start', 'firstQuartile', 'midpoint', 'thirdQuartile', 'complete'] as const),
  ...(['mute', 'unmute', 'pause', 'resume', 'rewind', 'skip', 'playerExpand', 'playerCollapse'] as const),
  ...(['fullscreen', 'exitFullscreen', 'acceptInvitation', 'closeLinear', 'notUsed'] as const),
] as const;
export type VideoEvent = (typeof VIDEO_EVENTS)[number];

/** The error codes of VAST 4.2 (2.3.6.3), each with what a player could not do. Of an unknown one 900 is counted. */
export const VIDEO_ERRORS = {
  100: 'the document could not be parsed',
  101: 'the document breaks the schema of VAST',
  102: 'the version of VAST is not supported',
  200: 'an ad of another kind was expected',
  201: 'another linearity was expected',
  202: 'another duration was expected',
  203: 'another size was expected',
  204: 'a category was required',
  205: 'the category is blocked',
  206: 'the ad break was shortened',
  300: 'a wrapper could not be followed',
  301: 'a wrapper did not answer in time',
  302: 'too many wrappers',
  303: 'no ad after the wrappers',
  304: 'the wrapped ad did not come in time',
  400: 'the ad could not be shown',
  401: 'a media file was not found',
  402: 'a media file did not load in time',
  403: 'no media file is of a type that the player plays',
  405: 'a media file could not be played',
  406: 'a mezzanine file is required and missing',
  407: 'a mezzanine file is being made',
  408: 'the ad was refused for its conditions',
  409: 'the interactive creative was not run',
  410: 'the verification was not run',
  500: 'a nonlinear ad failed',
  501: 'a nonlinear ad does not fit',
  502: 'a nonlinear ad could not be fetched',
  503: 'no nonlinear ad is of a type that the player shows',
  600: 'companions failed',
  601: 'a companion does not fit',
  602: 'a required companion could not be shown',
  603: 'a companion could not be fetched',
  604: 'no companion is of a type that the player shows',
  900: 'an error without a code',
  901: 'VPAID failed',
  902: 'the interactive creative failed',
} as const;
export const VIDEO_ERROR_CODES: readonly string[] = Object.keys(VIDEO_ERRORS);
const CODES: ReadonlySet<string> = new Set(VIDEO_ERROR_CODES);

const ERROR = 'error';
/** The event type of a player's error, such as `error_303`. */
export const errorType = (code: string): string => `${ERROR}_${code}`;
const codeOf = (code: string | undefined): string => (code !== undefined && CODES.has(code) ? code : '900');

const EVENTS: ReadonlySet<string> = new Set(VIDEO_EVENTS);

/** What is counted of a player's report; undefined: it is none. */
export const videoEventType = (type: string, code: () => string | undefined): string | undefined =>
  EVENTS.has(type) ? type : type === ERROR ? errorType(codeOf(code())) : undefined;

/** Event types as metrics name them: without the codes of errors. */
export const VIDEO_EVENT_LABELS = [...VIDEO_EVENTS, ERROR] as const;
export const labelOfEvent = (eventType: string): string => (eventType.startsWith(errorType('')) ? ERROR : eventType);
