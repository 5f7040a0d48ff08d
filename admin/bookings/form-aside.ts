import { html, nothing, type TemplateResult } from 'lit-html';
import { debugLinkCard, mayJudge, rotateKey, setBlocked, setStatus } from './actions.ts';
import { assetsOf } from '../parts/fields/content-assets.ts';
import { listOf, numberOf, textOf, textOrNull } from './forms/typed-text.ts';
import { saveFile } from '../api/save-file.ts';
import type { Form } from './forms/form.ts';
import { addLink, addStep } from './forms/next-step.ts';
import type { Page } from '../page.ts';
import { button, card, loading, pill } from '../parts/parts.ts';
import { atDensity, previewCreative, type Slot } from '../parts/preview/preview-document.ts';
import { hashOf } from '../route.ts';
import { table } from '../parts/table.ts';
import type { CreativeWire, Kind, PlacementWire, PublisherWire, Records } from '../api/wire.ts';
import { pictureNotes, sizeNotes } from '../words/asset-words.ts';
import { NAMES } from '../words/kinds.ts';
import { creativeState, listColumns } from './list-columns.ts';
import { ratesCard } from './rates-card.ts';
import { placementTags } from './placement-tags.ts';
import { locale } from '../words/language.ts';
import { rich, t } from '../words/texts.ts';

/**
 * Beside a form: the preview of a creative, and what belongs to an existing record.
 *
 * @param first what comes before
 */
export const formAside = <K extends Kind>(
  page: Page,
  kind: K,
  form: Form,
  record: Records[K] | undefined,
  first?: () => TemplateResult,
): TemplateResult | typeof nothing => {
  if (kind === 'creatives') return creativeAside(page, form, record as CreativeWire | undefined);
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

const creativeAside = (page: Page, form: Form, record: CreativeWire | undefined): TemplateResult => {
  const placements = listOf(form.read('/placement_ids')).flatMap((id) => page.store.find('placements', id) ?? []);
  const sideOf = (name: 'width' | 'height'): number | null => {
    const side = numberOf(form.read(`/${name}`));
    return typeof side === 'number' && side > 0 && side <= 4096 ? side : null;
  };
  const [width, height] = [sideOf('width'), sideOf('height')];
  const slot: Slot = { width: width ?? placements[0]?.width ?? 300, height: height ?? placements[0]?.height ?? 250 };
  const format = textOf(form.read('/format'));
  const preview = previewCreative(format, textOf(form.read('/content')), textOrNull(form.read('/click_url')), slot);
  const isBanner = format === 'banner';
  const pictures = isBanner ? [assetsOf(form.read('/content'))?.['images'] ?? []].flat() : [];
  const notes = [...sizeNotes(width, height, placements), ...pictureNotes(pictures, placements)];
  const figure = (markup: string, density: number): TemplateResult =>
    html`<figure class="preview">
      <figcaption>
        ${slot.width} × ${slot.height}${isBanner ? t` on a ${density}× screen` : ''}${format === 'native' ? t`, in a sample template` : ''}
      </figcaption>
      <ad-preview
        class="preview-frame"
        .ad=${{ ...slot, markup: atDensity(markup, density, slot), title: t`Preview of the creative${isBanner ? `, ${density}×` : ''}`, namesPicture: isBanner }}
      ></ad-preview>
    </figure>`;
  const block = (id: number, blocked: boolean) => setBlocked(page, id, blocked).then(() => page.go(location.hash, { saved: true }));
  const judge = (id: number, status: 'approved' | 'rejected') =>
    setStatus(page, id, status).then(() => page.go(location.hash, { saved: true }));
  return html`
    <aside class="form-aside preview-aside">
      ${card(
        t`Preview`,
        html`${preview.ok ? (isBanner ? [1, 2] : [1]).map((density) => figure(preview.markup, density)) : html`<p class="empty-preview">${preview.reason}</p>`}
          ${notes.map((note) => html`<p class="size-note">${note}</p>`)}
          <p class="help">${t`Runs in a sandbox: the creative’s scripts and styles work and cannot reach this page.`}</p>`,
      )}
      ${
        record
          ? card(
              t`State`,
              html`<p>${pill(creativeState(page.store, record))}</p>
                ${record.status === 'pending' && mayJudge(page) ? html`${button(t`Approve`, () => judge(record.id, 'approved'))} ${button(t`Reject`, () => judge(record.id, 'rejected'), 'secondary')} ` : nothing}${page.rights.may('POST', '/creatives/{id}/block') ? button(record.blocked_at ? t`Unblock` : t`Block`, () => block(record.id, !record.blocked_at), 'secondary') : nothing}`,
            )
          : nothing
      }
    </aside>
  `;
};
