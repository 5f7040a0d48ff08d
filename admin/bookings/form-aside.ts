import { html, nothing, type TemplateResult } from 'lit-html';
import { debugLinkCard, rotateKey } from './actions.ts';
import { saveFile } from '../api/save-file.ts';
import type { Form } from './forms/form.ts';
import { addLink, addStep } from './forms/next-step.ts';
import type { Page } from '../page.ts';
import { button, card, loading } from '../parts/parts.ts';
import { hashOf } from '../route.ts';
import { table } from '../parts/table.ts';
import type { Kind, PlacementWire, PublisherWire, Records } from '../api/wire.ts';
import { NAMES } from '../words/kinds.ts';
import { listColumns } from './list-columns.ts';
import { ratesCard } from './rates-card.ts';
import { placementTags } from './placement-tags.ts';
import { locale } from '../words/language.ts';
import { rich, t } from '../words/texts.ts';

/**
 * Beside a form: the preview of a creative, and what belongs to an existing record.
 *
 * @param first what has a state, or is read of the record (besideForm)
 */
export const formAside = <K extends Kind>(
  page: Page,
  kind: K,
  form: Form,
  record: Records[K] | undefined,
  first?: () => TemplateResult,
): TemplateResult | typeof nothing => {
  if (kind === 'creatives') return first?.() ?? nothing;
  if (kind === 'line_items') return lineItemAside(page, form);
  if (!record) return nothing;
  if (kind === 'publishers') return publisherAside(page, record as PublisherWire);
  if (kind === 'bidders') return bidderAside(page, record.id as number);
  if (kind === 'placements') return placementAside(page, record as PlacementWire, first);
  return nothing;
};

const lineItemAside = (page: Page, form: Form): TemplateResult | typeof nothing => {
  const rates = ratesCard(page, form);
  return rates === nothing ? nothing : html`<aside class="form-aside">${rates}</aside>`;
};

const publisherAside = (page: Page, publisher: PublisherWire): TemplateResult => html`
  <aside class="form-aside">
    ${card(
      t`API key`,
      html`<p>
          ${publisher.api_key_hint ? html`${t`Ends in`} <code>${publisher.api_key_hint}</code>. ` : nothing}${t`The key is stored as a hash and was shown once. Replace it if it is lost.`}
        </p>
        ${page.rights.may('POST', '/publishers/{id}/rotate_key') ? button(t`Replace the key`, () => rotateKey(page, publisher), 'secondary') : nothing}`,
    )}
    ${card(
      t`Sellers`,
      html`<p>
        ${rich`For the bidders of its line items: the ${html`<a href="../ads.txt?publisher=${publisher.id}">${t`records of its ads.txt`}</a>`}, and the accounts in ${html`<a href="../sellers.json">sellers.json</a>`}.`}
      </p>`,
    )}
    ${bookingsFile(page, publisher)} ${related(page, 'campaigns', { publisher_id: publisher.id })}
  </aside>
`;

/** Its bookings to keep, review and apply elsewhere. */
const bookingsFile = (page: Page, { id }: PublisherWire): TemplateResult | typeof nothing => {
  if (!page.rights.may('GET', '/export')) return nothing;
  const save = (format: 'yaml' | 'json') => saveFile(page, page.api.file('/export', { publisher: id, format }), `bookings_${id}.${format}`);
  return card(
    t`Bookings in a file`,
    html`<p>${t`Everything that is booked and not archived, to keep in git, review and apply again, here or in another installation.`}</p>
      <p>
        ${button(t`Download YAML`, () => void save('yaml'), 'secondary')} ${button(t`Download JSON`, () => void save('json'), 'secondary')}
        <a href="docs/bookings-in-git.html">${t`How it is used`}</a>
      </p>`,
  );
};

/** Reports of a bidder's last days, by what a person asks. */
const BID_REPORTS: readonly (readonly [words: string, groupBy: string, metrics: string])[] = [
  [t`Bid rate and win rate by day`, 'day', 'bid_requests,bids,bid_rate,wins,win_rate'],
  [t`By placement`, 'placement', 'bid_requests,bids,bid_rate,wins,win_rate,timeouts'],
  [t`By deal`, 'deal', 'bid_requests,bids,bid_rate,wins,win_rate'],
  [t`Time-outs by hour`, 'hour', 'bid_requests,timeouts'],
  [t`Why bids were refused`, 'reason', 'bid_refusals'],
];

const bidderAside = (page: Page, id: number): TemplateResult => html`
  <aside class="form-aside">
    ${card(
      t`Auction quality`,
      html`<ul class="needs">
        ${BID_REPORTS.map(
          ([words, group_by, metrics]) =>
            html`<li><a href=${hashOf(['reports'], { group_by, metrics, range: 'last_7_days', 'filter[bidder]': id })}>${words}</a></li>`,
        )}
      </ul>`,
    )}
    ${related(page, 'line_items', { bidder_id: id })}
  </aside>
`;

const placementAside = (page: Page, placement: PlacementWire, first?: () => TemplateResult): TemplateResult => html`
  <aside class="form-aside">
    ${first?.()} ${related(page, 'creatives', { placement_id: placement.id })}
    ${placementTags(page, placement, publisherOf(page, placement))} ${debugLinkCard(page, publisherOf(page, placement))}
  </aside>
`;

/** The publisher of a placement; of one that is open to all, the first. */
const publisherOf = ({ store }: Page, { publisher_id }: PlacementWire): PublisherWire | undefined =>
  publisher_id === null ? store.first('publishers')[0] : store.find('publishers', publisher_id);

const MAX_RELATED = 20;

/** The first records below this one, in two columns. */
const related = <K extends Kind>(page: Page, kind: K, parent: Readonly<Record<string, string | number>>): TemplateResult => {
  const listing = page.store.wanted(kind, hashOf([], parent).replace(/^[^?]*\??/, ''), MAX_RELATED);
  if (!listing) return card(NAMES[kind].many, loading());
  const { rows, total } = listing;
  const columns = listColumns(page, kind).filter(({ id }) => id !== 'publisher');
  return card(
    NAMES[kind].many,
    html`
      ${rows.length === 0 ? html`<p>${t`None yet.`}</p>` : table({ caption: kind, columns: columns.slice(0, 2), rows: rows.slice(0, MAX_RELATED) })}
      ${total > MAX_RELATED ? html`<p><a href=${hashOf([kind], parent)}>${t`All ${total.toLocaleString(locale)}`}</a></p>` : nothing}
      ${addLink(page, { ...addStep(kind, '', parent), label: t`Add one` })}
    `,
  );
};
