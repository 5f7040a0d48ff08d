import type { PageScheme } from '../../../src/catalog/model/page-views.ts';

/** An ad for the page of its placement. */
export interface LiveAd {
  /** Of a page that has the tag of the placement. */
  readonly url: string;
  readonly placement: string;
  /** As the service answers it. */
  readonly adm: string;
  /** CSS pixels. */
  readonly width: number;
  readonly height: number;
  /** Of the frame, for screen readers. */
  readonly title: string;
}

export interface AdOnPage {
  readonly ad: LiveAd;
  readonly scheme: PageScheme;
}

/** The address that has the SDK of the page ask for the ad here (sdk/src/preview-on-page.ts). */
export const addressWithAd = ({ url, placement }: LiveAd): string => `${url.split('#')[0]}#adsdk_preview=${encodeURIComponent(placement)}`;
