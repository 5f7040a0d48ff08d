/** The public interface of the SDK, stable within a major version. */

export type KeyValues = Readonly<Record<string, string | number | boolean | ReadonlyArray<string | number | boolean>>>;

/** CSS pixels. */
export interface Size {
  readonly w: number;
  readonly h: number;
}

/** The element of a slot, or its id. */
export type Container = string | HTMLElement;

/**
 * Privacy signals of the page, each in place of what the SDK reads from `__tcfapi`, `__gpp`,
 * `__uspapi` and `navigator.globalPrivacyControl`.
 */
export interface ConsentSignals {
  /** Whether the GDPR applies. */
  readonly gdpr?: boolean;
  /** The TCF string. */
  readonly consent?: string;
  readonly gpp?: string;
  /** The ids of the GPP sections that apply. */
  readonly gppSid?: readonly number[];
  /** `us_privacy`, for example `1YYN`. */
  readonly usPrivacy?: string;
  /** Global Privacy Control. */
  readonly gpc?: boolean;
  /** The page is directed at children. */
  readonly coppa?: boolean;
  /** Whether the SDK may use local storage for the user id. Default: as the other signals and the server say. */
  readonly storage?: boolean;
}

/** What all requests of the page say. */
export interface PageContext {
  /** The address of the page. Default: `location.href` without its fragment. */
  readonly page?: string;
  /** Default: `document.referrer`. */
  readonly ref?: string;
  /** Key-values of every slot; a slot's own replace them. */
  readonly keyValues?: KeyValues;
  /**
   * `page_view`: a name of this view of the page, so that what its ads exclude holds over all its requests. `page_placements`:
   * all placements that it asks for, for roadblocks.
   */
  readonly ext?: { readonly page_view?: string; readonly page_placements?: readonly string[] };
  /** First-party segments of the visitor, which line items target: OpenRTB's `user.data`. Not sent without permission to store. */
  readonly data?: readonly { readonly segment: readonly { readonly id: string }[] }[];
}

export type ReportReason = 'offensive' | 'misleading' | 'malware' | 'irrelevant' | 'other';

/** One ad in the server's answer. Tracking URLs are absolute. */
export interface Bid {
  readonly id: string;
  readonly impid: string;
  readonly crid?: string;
  readonly cid?: string;
  /** HTML (html, banner) or JSON text (native). */
  readonly adm: string;
  /** eCPM in USD. */
  readonly price?: number;
  /** CSS pixels. */
  readonly w?: number;
  readonly h?: number;
  readonly adomain?: readonly string[];
  /** What the advertiser sells, in the taxonomy `cattax` (OpenRTB). */
  readonly cat?: readonly string[];
  readonly cattax?: number;
  readonly impurl: string;
  readonly clkurl: string;
  /** Append `&type=<event_type>`. */
  readonly evturl: string;
  readonly repturl?: string;
  readonly ext?: { readonly click_url?: string };
}

/** The server's answer for one placement. */
export interface AdResponse {
  readonly id: string;
  /** Empty when there is no ad. */
  readonly seatbid: ReadonlyArray<{ readonly bid: readonly Bid[] }>;
  /** No-bid reason, present when there is no ad. */
  readonly nbr?: number;
  readonly ext?: {
    /** Event types that the server accepts. */
    readonly events?: readonly string[];
    /** Set when the server may not remember the visitor. */
    readonly remember?: false;
    /** Where creatives that need storage may run. */
    readonly creative_origin?: string;
    readonly nonbid?: ReadonlyArray<{ readonly impid: string; readonly nbr: number }>;
  };
}

/** The assets of a native creative. URLs that are not http(s) are removed. */
export interface NativeAssets {
  /** The destination of the creative, when it has one. */
  readonly clickUrl?: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- publishers define the assets, and templates read them without casts
  readonly [asset: string]: any;
}

export interface TemplateHelpers {
  /** Escapes a value for HTML text and quoted attributes. */
  readonly escapeHTML: (value: unknown) => string;
}

/** Returns the HTML of the container. */
export type TemplateFn = (assets: NativeAssets, helpers: TemplateHelpers) => string | Promise<string>;

export interface NoAdDetail {
  readonly placementId: string;
  /**
   * The server's no-bid reason; 1 (technical error) when the request failed or the ad could not be
   * shown.
   */
  readonly nbr: number | undefined;
}

export interface ErrorDetail {
  readonly placementId: string | undefined;
  readonly error: Error;
}

export interface AdSDKOptions {
  /** The ad server that methods use unless they are given another. */
  readonly baseUrl: string;
  /**
   * The page's script nonce, for the first script of each sandboxed frame. Required under a
   * Content-Security-Policy with nonces.
   */
  readonly nonce?: string;
  /** How long the first request waits for an answer of a consent platform, in ms. Default: 1000. */
  readonly consentWaitMs?: number;
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

/** Runs when the SDK is there; `this` is not set. */
export type Command = (sdk: AdSDK) => void;

export interface AdSDK {
  /** The version of the SDK. */
  readonly version: string;
  /**
   * Runs a function with the SDK, immediately. Before the script has loaded, the page sets
   * `window.AdSDK ??= { cmd: [] }` and pushes the functions that wait for it.
   */
  cmd: { push(...commands: Command[]): unknown };
  /**
   * Sets the publisher's key for all later requests; the same as setting
   * `window.AD_SERVER_API_KEY`.
   */
  setApiKey(apiKey: string): void;
  /**
   * Sets the publisher's id for all later requests; the same as setting
   * `window.AD_SERVER_PUBLISHER_ID`.
   */
  setPublisherId(publisherId: number): void;
  /** Adds privacy signals for all later requests. */
  setConsent(signals: ConsentSignals): void;
  /** Sends the page's own user id, which the SDK does not store; null: the SDK's own id again. */
  setUserId(id: string | null): void;
  /** Adds to what all later requests say of the page. */
  setPageContext(context: PageContext): void;
  /**
   * Fills the elements with `data-adsdk-slot` that are in the page now or later, and removes their
   * ads when they leave it. The script does this itself; a module calls it once.
   */
  watchSlots(): void;
  /** Templates for native slots, by the name in `data-template`. */
  readonly templates: Record<string, TemplateFn>;
  /**
   * Shows an html or banner ad in a sandboxed iframe inside the container. Resolves to whether an
   * ad is shown; never rejects (see the events `AdSDK:noAd` and `AdSDK:error`).
   */
  renderAd(placementId: string, container: Container, baseUrl?: string, keyValues?: KeyValues): Promise<boolean>;
  /**
   * Shows a native ad: the output of `templateFn` becomes the content of the container. Resolves
   * like `renderAd`.
   */
  renderNativeAd(
    placementId: string,
    container: Container,
    templateFn: TemplateFn,
    baseUrl?: string,
    keyValues?: KeyValues,
  ): Promise<boolean>;
  /**
   * Returns the answer only: the caller shows the ad and requests its tracking URLs. Rejects when
   * the request fails.
   */
  fetchAd(placementId: string, baseUrl?: string, keyValues?: KeyValues): Promise<AdResponse>;
  /**
   * Sends a quality report. `reportUrl` is any tracking URL of the bid, or its token. Resolves to
   * whether it was accepted; never rejects.
   */
  reportAd(reportUrl: string, reason: ReportReason, baseUrl?: string): Promise<boolean>;
  /** Asks the visitor for a reason and sends the report. */
  showReportModal(reportUrl: string, baseUrl?: string): void;
  /**
   * Returns a report button for native templates, which opens the modal for the ad that contains
   * it.
   */
  getReportLinkHTML(text: string, className?: string, style?: string): string;
  /** Escapes a value for HTML text and quoted attributes. */
  escapeHTML(value: unknown): string;
  /** Removes the ad from its container with all its listeners, observers and timers. */
  destroy(container: Container): void;
}

declare global {
  var AdSDK: AdSDK;
  interface Window {
    /** Another name of `AdSDK.cmd`. */
    adsdk?: { push(...commands: Command[]): unknown };
    AD_SERVER_API_KEY?: string;
    AD_SERVER_PUBLISHER_ID?: number;
  }
  interface GlobalEventHandlersEventMap {
    'AdSDK:filled': CustomEvent<{ readonly placementId: string; readonly bid: Bid }>;
    'AdSDK:noAd': CustomEvent<NoAdDetail>;
    'AdSDK:error': CustomEvent<ErrorDetail>;
    'AdSDK:viewable': CustomEvent<{ readonly placementId: string }>;
  }
}
