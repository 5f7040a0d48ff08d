import { html, type nothing, type TemplateResult } from 'lit-html';
import { findRecords } from '../bookings/lists/find-records.ts';
import type { Page } from '../page.ts';
import { combobox, type ComboboxOptions, type Option } from '../parts/combobox.ts';
import { COUNTRIES, countryName } from '../parts/fields/country-field.ts';
import { toggleButton } from '../parts/parts.ts';
import { select } from '../parts/select.ts';
import { t } from '../words/texts.ts';
import { GROUPS, SPANS, type Group, type Span } from './availability-grid.ts';
import { GROUP_WORDS } from './availability-table.ts';

/** What is shown, as it is in the address. */
export interface AvailabilityChoice {
  readonly publisher: number | undefined;
  readonly span: Span;
  readonly by: Group;
  readonly country: string | undefined;
  /** Such as 300x250. */
  readonly size: string | undefined;
  readonly targeting: number | undefined;
}

export interface AvailabilityControlsOptions {
  readonly page: Page;
  readonly choice: AvailabilityChoice;
  readonly change: (change: Partial<AvailabilityChoice>) => void;
  /** A button; nothing: there is no file yet. */
  readonly file: TemplateResult | typeof nothing;
}

const SPAN_WORDS: Readonly<Record<Span, string>> = { weeks: t`Weeks`, days: t`Days` };
const MAX_FOUND = 20;

export const sizeWords = (size: string): string => size.replace('x', ' × ');

const findCountries = (text: string): Promise<readonly Option[]> => {
  const typed = text.trim().toLowerCase();
  const found = COUNTRIES.filter(({ value, label }) => value.toLowerCase() === typed || label.toLowerCase().includes(typed));
  return Promise.resolve(found.slice(0, MAX_FOUND).map(({ value, label }) => ({ value, label, note: value })));
};

/** Whose availability, of what part of the traffic, by what and how fine. */
export const availabilityControls = ({ page, choice, change, file }: AvailabilityControlsOptions): TemplateResult => {
  const { store, api } = page;
  const { publisher, span, by, country, size, targeting } = choice;
  const placements = store.listing('placements', `publisher_id=${publisher}`)?.rows ?? [];
  const sizes = [...new Set([...placements.map(({ width, height }) => `${width}x${height}`), ...(size ? [size] : [])])].sort();
  const chooser = (options: Pick<ComboboxOptions, 'label' | 'placeholder' | 'shown' | 'find' | 'choose'>): TemplateResult =>
    html`<div class="availability-choice">${combobox(options)}</div>`;
  return html`
    <div class="timeline-controls">
      <div class="availability-publisher">
        ${combobox({
          ...{ label: t`Publisher`, placeholder: t`Publisher`, shown: store.find('publishers', publisher)?.name ?? '' },
          find: findRecords(api, 'publishers'),
          choose: (option) => option && change({ publisher: Number(option.value), targeting: undefined }),
        })}
      </div>
      <div class="toggles" role="group" aria-label=${t`Scale`}>
        ${SPANS.map((one) => toggleButton(SPAN_WORDS[one], one === span, () => change({ span: one })))}
      </div>
      ${select(
        t`Lines`,
        by,
        GROUPS.map((one) => [one, GROUP_WORDS[one].choice] as const),
        (chosen) => change({ by: chosen }),
      )}
      ${file}
    </div>
    <section class="timeline-controls" aria-label=${t`Part of the traffic`}>
      ${select(t`Size`, size ?? '', [['', t`All sizes`], ...sizes.map((one) => [one, sizeWords(one)] as const)], (chosen) =>
        change({ size: chosen || undefined }),
      )}
      ${chooser({
        ...{ label: t`Country`, placeholder: t`All countries`, shown: country === undefined ? '' : countryName(country) },
        find: findCountries,
        choose: (option) => change({ country: option?.value }),
      })}
      ${chooser({
        ...{ label: t`Targeting`, placeholder: t`Any targeting` },
        shown: targeting === undefined ? '' : (store.find('targetings', targeting)?.name ?? `#${targeting}`),
        find: findRecords(api, 'targetings', `publisher_id=${publisher}`),
        choose: (option) => change({ targeting: option && Number(option.value) }),
      })}
    </section>
  `;
};
