import { html, nothing } from 'lit-html';
import type { Page } from '../page.ts';
import { combobox } from '../parts/combobox.ts';
import { findRecords } from '../bookings/lists/find-records.ts';
import { listed } from '../words/kinds.ts';
import { t } from '../words/texts.ts';
import type { KnownForecast } from './asked-forecast.ts';

/** For placements without traffic: what they are expected to be like. */
export const createModelChoice = (page: Page, onChoice: () => void) => {
  let chosen: Readonly<Record<string, string>> = {};
  return {
    /** Placements without history, each with the one that it is expected to be like. */
    chosen: () => chosen,
    render: ({ without_history: fresh }: KnownForecast, publisherId: string) => {
      const places = [...new Set([...fresh, ...Object.keys(chosen)])];
      if (places.length === 0) return nothing;
      const model = chosen[places[0]!] ?? '';
      return html`<div class="forecast-model">
        <p>${t`No traffic is known of ${listed(places)}. Expect as much as on:`}</p>
        ${combobox({
          ...{ label: t`A placement that it will be like`, placeholder: t`a placement like it`, shown: model },
          find: findRecords(page.api, 'placements', publisherId === '' ? '' : `publisher_id=${publisherId}`),
          choose: (option) => {
            chosen = option ? Object.fromEntries(places.map((place) => [place, option.value])) : {};
            onChoice();
            page.redraw();
          },
        })}
      </div>`;
    },
  };
};
