import { createAdSDK, type Bid, type KeyValues, type NativeAssets, type TemplateHelpers } from '@ad-server/adsdk';

/** The assets of this site's native creatives. */
interface Teaser extends NativeAssets {
  readonly title?: string;
  readonly image?: string | { readonly url: string };
}

/** The site's own look of a native ad. Assets are texts: they are escaped. */
const teaser = ({ title, image, clickUrl }: Teaser, { escapeHTML }: TemplateHelpers): string => {
  const picture = typeof image === 'object' ? image.url : image;
  return `<a class="teaser" href="${escapeHTML(clickUrl)}" target="_blank" rel="noopener sponsored">
    ${picture ? `<img src="${escapeHTML(picture)}" alt="">` : ''}<strong>${escapeHTML(title)}</strong><small>Advertisement</small>
  </a>`;
};

/** What the site measures of its ads. */
export interface AdLog {
  readonly filled: (placementId: string, bid: Bid) => void;
  readonly empty: (placementId: string, reason: number | undefined) => void;
}

/**
 * Shows the ads of an article: a banner, and a native teaser. Resolves to whether each is shown.
 * Returns what removes them, for a site that changes pages without a reload.
 */
export const showArticleAds = (
  publisher: { readonly apiKey: string; readonly publisherId: number },
  article: { readonly section: string; readonly keyValues?: KeyValues },
  log: AdLog,
): { readonly shown: Promise<readonly [banner: boolean, teaser: boolean]>; readonly remove: () => void } => {
  const ads = createAdSDK({ baseUrl: 'https://ads.example' });
  ads.setApiKey(publisher.apiKey);
  ads.setPublisherId(publisher.publisherId);
  ads.setPageContext({ keyValues: { ...article.keyValues, section: article.section } });

  const listening = new AbortController();
  document.addEventListener('AdSDK:filled', ({ detail: { placementId, bid } }) => log.filled(placementId, bid), listening);
  document.addEventListener('AdSDK:noAd', ({ detail: { placementId, nbr } }) => log.empty(placementId, nbr), listening);
  return {
    shown: Promise.all([ads.renderAd('article-top', 'banner'), ads.renderNativeAd('article-teaser', 'teaser', teaser)]),
    remove: () => {
      listening.abort();
      for (const id of ['banner', 'teaser']) ads.destroy(id);
    },
  };
};
