/** What pages see of the SDK. Everything here is public and kept stable within a major version. */

export type KeyValues = Readonly<Record<string, string | number | boolean | ReadonlyArray<string | number | boolean>>>;

export type ReportReason = 'offensive' | 'misleading' | 'malware' | 'irrelevant' | 'other';

/** One ad of the server's answer. Tracking URLs are absolute. */
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
    readonly nonbid?: ReadonlyArray<{ readonly impid: string; readonly nbr: number }>;
  };
}

/** A native creative's assets, without URLs that are not http(s). */
export interface NativeAssets {
  /** Where the creative leads to, when it leads anywhere. */
  readonly clickUrl?: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- publishers define the assets: a template reads them freely
  readonly [asset: string]: any;
}

export interface TemplateHelpers {
  /** Makes any value safe to stand in HTML text or in a quoted attribute. */
  readonly escapeHTML: (value: unknown) => string;
}

/** Returns HTML for the container. */
export type TemplateFn = (assets: NativeAssets, helpers: TemplateHelpers) => string | Promise<string>;

export interface NoAdDetail {
  readonly placementId: string;
  /** The server's no-bid reason; 1 (technical error) when it could not be asked or the ad could not be shown. */
  readonly nbr: number | undefined;
}

export interface ErrorDetail {
  readonly placementId: string | undefined;
  readonly error: Error;
}

export interface AdSDKOptions {
  /** The ad server: what every method uses unless it is given another. */
  readonly baseUrl: string;
  /** The page's script nonce, for the script that leads each sandboxed frame; needed under a Content-Security-Policy with nonces. */
  readonly nonce?: string;
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

export interface AdSDK {
  /** Of the SDK. */
  readonly version: string;
  /** The publisher's key, for every later request; the same as setting `window.AD_SERVER_API_KEY`. */
  setApiKey(apiKey: string): void;
  /** The publisher's id, for every later request; the same as setting `window.AD_SERVER_PUBLISHER_ID`. */
  setPublisherId(publisherId: number): void;
  /**
   * Shows an html or banner ad in a sandboxed iframe inside the container.
   * Resolves to whether an ad is shown; never rejects (see the events `AdSDK:noAd` and `AdSDK:error`).
   */
  renderAd(placementId: string, containerId: string, baseUrl?: string, keyValues?: KeyValues): Promise<boolean>;
  /** Shows a native ad: what `templateFn` returns becomes the container's content. Resolves like `renderAd`. */
  renderNativeAd(
    placementId: string,
    containerId: string,
    templateFn: TemplateFn,
    baseUrl?: string,
    keyValues?: KeyValues,
  ): Promise<boolean>;
  /** The answer alone: the caller shows the ad and requests its tracking URLs. Rejects when the server cannot be asked. */
  fetchAd(placementId: string, baseUrl?: string, keyValues?: KeyValues): Promise<AdResponse>;
  /** Sends an ad quality report. Takes any tracking URL of the bid, or its bare token. Resolves to whether it was accepted; never rejects. */
  reportAd(reportUrl: string, reason: ReportReason, baseUrl?: string): Promise<boolean>;
  /** Asks the visitor for the reason, then reports. */
  showReportModal(reportUrl: string, baseUrl?: string): void;
  /** A report button for native templates: inside an ad's container it opens the modal for that ad. */
  getReportLinkHTML(text: string, className?: string, style?: string): string;
  /** Makes any value safe to stand in HTML text or in a quoted attribute. */
  escapeHTML(value: unknown): string;
  /** Takes the ad out of its container and drops every listener, observer and timer of it. */
  destroy(containerId: string): void;
}

declare global {
  interface Window {
    AdSDK?: AdSDK;
    AD_SERVER_API_KEY?: string;
    AD_SERVER_PUBLISHER_ID?: number;
  }
  interface GlobalEventHandlersEventMap {
    'AdSDK:noAd': CustomEvent<NoAdDetail>;
    'AdSDK:error': CustomEvent<ErrorDetail>;
    'AdSDK:viewable': CustomEvent<{ readonly placementId: string }>;
  }
}
