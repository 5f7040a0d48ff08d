import { html, nothing, type TemplateResult } from 'lit-html';
import type { Page } from '../../page.ts';
import { combobox, type Option } from '../../parts/combobox.ts';
import { dateField } from '../../parts/fields/date-field.ts';
import { field } from '../../parts/fields/field.ts';
import { recordField } from '../../parts/fields/record-field.ts';
import { moneyField, textField } from '../../parts/fields/text-field.ts';
import { button } from '../../parts/parts.ts';
import { currencyOfPublisher } from '../../words/currency.ts';
import { t } from '../../words/texts.ts';
import { textOf } from '../forms/typed-text.ts';
import { findRecords } from '../lists/find-records.ts';
import type { BookingDesk } from './booking-desk.ts';

const AT = '/campaign/fields';
const CREATE = 'create:';

/** The campaign of a booking: who pays, when, how much. @param opened its further fields */
export const campaignCard = (page: Page, desk: BookingDesk, isWhole: boolean, openWhole: () => void): TemplateResult => {
  const { form } = desk;
  const { campaign } = desk.draft();
  const currency = currencyOfPublisher(page.store, textOf(campaign.fields['publisher_id']));
  const needsPublisher = campaign.id === undefined && page.store.total('publishers') !== 1;
  const hasMore = isWhole || ['daily_budget', 'external_key'].some((name) => textOf(campaign.fields[name]) !== '');
  return html`<section class="card desk-campaign" aria-label=${t`Campaign`}>
    <div class="fields ${needsPublisher ? 'with-publisher' : ''}">
      ${advertiserField(page, desk)}
      ${textField(form, {
        ...{ pointer: `${AT}/name`, label: t`Name`, maxLength: 256 },
        placeholder: desk.name() || t`Spring sale`,
      })}
      ${needsPublisher ? recordField(form, page, { pointer: `${AT}/publisher_id`, label: t`Publisher`, kind: 'publishers', required: true }) : nothing}
      ${dateField(form, { pointer: `${AT}/start_date`, label: t`Start` })} ${dateField(form, { pointer: `${AT}/end_date`, label: t`End` })}
      ${moneyField(form, currency, { pointer: `${AT}/budget`, label: t`Budget`, placeholder: t`no limit`, inputMode: 'decimal' })}
      ${textField(form, { pointer: `${AT}/order_number`, label: t`Order number`, placeholder: t`none`, maxLength: 64 })}
      ${textField(form, { pointer: `${AT}/contact`, label: t`Contact`, placeholder: t`that of its advertiser`, maxLength: 500 })}
      ${
        hasMore
          ? html`${moneyField(form, currency, { pointer: `${AT}/daily_budget`, label: t`Daily budget`, placeholder: t`no limit`, inputMode: 'decimal' })}
            ${textField(form, { pointer: `${AT}/external_key`, label: t`External key`, placeholder: t`none`, maxLength: 128 })}`
          : html`<p class="desk-more">${button(t`More …`, openWhole, 'quiet')}</p>`
      }
    </div>
  </section>`;
};

/** Found by its name, or created with the booking under the name that was typed. */
const advertiserField = (page: Page, desk: BookingDesk): TemplateResult => {
  const { form } = desk;
  const pointer = `${AT}/advertiser_id`;
  const id = textOf(form.read(pointer));
  const draft = desk.draft();
  const known = page.store.find('advertisers', id);
  const isNew = draft.advertiser !== '';
  const find = async (typed: string): Promise<readonly Option[]> => {
    const found = await findRecords(page.api, 'advertisers')(typed);
    const name = typed.trim();
    const isKnown = found.some(({ label }) => label.toLowerCase() === name.toLowerCase());
    return name === '' || isKnown || !page.rights.may('POST', '/advertisers')
      ? found
      : [...found, { value: CREATE + name, label: t`Create “${name}”` }];
  };
  const write = (advertiser: string, to: string): void =>
    desk.change((now) => ({
      ...now,
      advertiser,
      campaign: { ...now.campaign, fields: { ...now.campaign.fields, advertiser_id: to } },
    }));
  return field(
    form,
    { pointer, label: t`Advertiser`, ...(isNew && { help: t`It is created with this booking.` }) },
    ({ id: controlId, describedBy, invalid }) =>
      combobox({
        ...{ id: controlId, describedBy, find, invalid: invalid !== nothing },
        placeholder: t`Type a name`,
        shown: isNew ? draft.advertiser : (known?.name ?? (id === '' ? '' : `#${id}`)),
        choose: (option) => {
          if (option?.value.startsWith(CREATE)) return write(option.value.slice(CREATE.length), '');
          write('', option?.value ?? '');
          if (option) void page.store.ensure('advertisers', option.value).then(page.redraw);
        },
      }),
  );
};
