import { html, nothing, type TemplateResult } from 'lit-html';
import type { CampaignWire } from '../api/wire.ts';
import type { Page } from '../page.ts';
import { pictureUpload } from '../parts/fields/picture-upload.ts';
import { card } from '../parts/parts.ts';
import { assetPath } from '../words/asset-words.ts';
import { date, isoDateIn } from '../words/dates.ts';
import { linkTo } from '../words/kinds.ts';
import { t } from '../words/texts.ts';
import { patchRecord } from './actions.ts';

/** Pictures of the ads of a campaign on the pages, for the reports of its advertiser. New ones are dropped here. */
export const screenshotsCard = (page: Page, campaign: CampaignWire): TemplateResult | typeof nothing => {
  const { id, screenshots, publisher_id: publisher } = campaign;
  const mayAdd = page.rights.mayChange('campaigns', campaign) && page.rights.may('PUT', '/assets');
  if (screenshots.length === 0 && !mayAdd) return nothing;
  const shown = screenshots.map(({ picture, day, caption }) => {
    const words = [caption, day === null ? '' : date(day)].filter((one) => one !== '').join(', ');
    return html`<figure class="page-picture">
      <a href=${picture} target="_blank" rel="noopener"
        ><img class="screenshot" src=${picture} alt=${words || t`A page with the ad`} loading="lazy"
      /></a>
      <figcaption>${words}</figcaption>
    </figure>`;
  });
  const add = (path: string): Promise<boolean> => {
    // As it is now: several files are stored one after the other.
    const now = page.store.find('campaigns', id)?.screenshots ?? screenshots;
    return patchRecord(
      page,
      'campaigns',
      id,
      { screenshots: [...now, { picture: path, day: isoDateIn(0), caption: '' }] },
      t`The screenshot is added.`,
    );
  };
  return card(
    t`Screenshots`,
    html`<div class="page-pictures">
        ${shown}
        ${mayAdd ? pictureUpload(page, { id: 'screenshots-add', label: t`Add screenshots`, publisher: String(publisher), many: true, onStored: (asset) => add(assetPath(asset)) }) : nothing}
      </div>
      <p class="help">
        ${t`Pictures of the ads on the pages: the reports that you share with the advertiser show them.`}
        ${screenshots.length > 0 && mayAdd ? html`<a href="${linkTo('campaigns', id)}/edit">${t`Captions and days`}</a>` : nothing}
      </p>`,
  );
};
