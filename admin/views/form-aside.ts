import { html, nothing, type TemplateResult } from 'lit-html';
import { rotateKey, setBlocked } from './actions.ts';
import { numberOf, textOf, textOrNull } from '../forms/typed-text.ts';
import type { Form } from '../forms/form.ts';
import type { Page } from '../page.ts';
import { pill } from '../parts/parts.ts';
import { atDensity, previewCreative, type Slot } from '../preview/preview-document.ts';
import { hashOf } from '../route.ts';
import { table } from '../parts/table.ts';
import type { CreativeWire, Kind, PlacementWire, PublisherWire, Records } from '../service/wire.ts';
import { listColumns } from './list-columns.ts';

/** Beside a form: the preview of a creative, and what belongs to an existing record. */
export const formAside = <K extends Kind>(
  page: Page,
  kind: K,
  form: Form,
  record: Records[K] | undefined,
): TemplateResult | typeof nothing => {
  if (kind === 'creatives') return creativeAside(page, form, record as CreativeWire | undefined);
  if (!record) return nothing;
  if (kind === 'publishers') return publisherAside(page, record as PublisherWire);
  if (kind === 'placements') return placementAside(page, record as PlacementWire);
  return nothing;
};

const publisherAside = (page: Page, publisher: PublisherWire): TemplateResult => html`
  <aside class="form-aside">
    <section class="card">
      <h2>API key</h2>
      <p>
        Ends in <code>${publisher.api_key_hint ?? '????'}</code>. The key is stored as a hash and was shown once. Replace it if it is lost.
      </p>
      <button type="button" class="secondary" @click=${() => void rotateKey(page, publisher)}>Replace the key</button>
    </section>
    <section class="card">
      <h2>Campaigns</h2>
      ${related(page, 'campaigns', ({ publisher_id }) => publisher_id === publisher.id, hashOf(['campaigns', 'new'], { publisher_id: publisher.id }))}
    </section>
  </aside>
`;

const placementAside = (page: Page, placement: PlacementWire): TemplateResult => html`
  <aside class="form-aside">
    <section class="card">
      <h2>Creatives</h2>
      ${related(page, 'creatives', ({ placement_id }) => placement_id === placement.id, hashOf(['creatives', 'new'], { placement_id: placement.id }))}
    </section>
    <section class="card">
      <h2>On a page</h2>
      <p>The browser SDK shows an ad in the element with the id “slot”:</p>
      <pre class="code">AdSDK.renderAd('${placement.id}', 'slot')</pre>
      <a href=${hashOf(['test'], { placement_id: placement.id })}>Test an ad on this placement</a>
    </section>
  </aside>
`;

const related = <K extends Kind>(page: Page, kind: K, belongs: (record: Records[K]) => boolean, add: string): TemplateResult => {
  const rows = page.store.all(kind).filter(belongs);
  return html`
    ${
      rows.length === 0
        ? html`<p>None yet.</p>`
        : table({
            caption: kind,
            columns: listColumns(page, kind)
              .filter(({ label }) => label !== 'Publisher')
              .slice(0, 2),
            rows: rows.slice(0, 20),
          })
    }
    <p><a href=${add}>Add one</a></p>
  `;
};

const creativeAside = (page: Page, form: Form, record: CreativeWire | undefined): TemplateResult => {
  const placement = page.store.find('placements', textOf(form.read('/placement_id')));
  const sideOf = (name: 'width' | 'height', fallback: number): number => {
    const side = numberOf(form.read(`/${name}`));
    return typeof side === 'number' && side > 0 && side <= 4096 ? side : (placement?.[name] ?? fallback);
  };
  const slot: Slot = { width: sideOf('width', 300), height: sideOf('height', 250) };
  const format = textOf(form.read('/format'));
  const preview = previewCreative(format, textOf(form.read('/content')), textOrNull(form.read('/click_url')), slot);
  const densities = format === 'banner' ? [1, 2] : [1];
  return html`
    <aside class="form-aside preview-aside">
      <section class="card">
        <h2>Preview</h2>
        ${
          preview.ok
            ? densities.map(
                (density) =>
                  html`<figure class="preview">
                    <figcaption>
                      ${slot.width} ×
                      ${slot.height}${format === 'banner' ? ` on a ${density}× screen` : ''}${format === 'native' ? ', in a sample template' : ''}
                    </figcaption>
                    <ad-preview
                      class="preview-frame"
                      .ad=${{ ...slot, markup: atDensity(preview.markup, density, slot), title: `Preview of the creative${format === 'banner' ? `, ${density}×` : ''}`, namesPicture: format === 'banner' }}
                    ></ad-preview>
                  </figure>`,
              )
            : html`<p class="empty-preview">${preview.reason}</p>`
        }
        <p class="help">Runs in a sandbox: the creative’s scripts and styles work and cannot reach this page.</p>
      </section>
      ${
        record
          ? html`<section class="card">
              <h2>Delivery</h2>
              <p>${pill(record.blocked_at ? 'blocked' : 'live')}</p>
              <button
                type="button"
                class="secondary"
                @click=${() => void setBlocked(page, record.id, !record.blocked_at).then(() => page.go(`${location.hash}`, { saved: true }))}
              >
                ${record.blocked_at ? 'Unblock' : 'Block'}
              </button>
            </section>`
          : nothing
      }
    </aside>
  `;
};
