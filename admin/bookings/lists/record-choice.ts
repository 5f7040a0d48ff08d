import type { TemplateResult } from 'lit-html';
import type { Page } from '../../page.ts';
import { combobox } from '../../parts/combobox.ts';
import type { Kind } from '../../api/wire.ts';
import { aOne, titleIn } from '../../words/kinds.ts';
import { findRecords } from './find-records.ts';
import { t } from '../../words/texts.ts';

export interface RecordChoiceOptions {
  readonly kind: Kind;
  readonly label: string;
  /** The id; '': none is chosen. */
  readonly value: string;
  readonly placeholder?: string;
  readonly choose: (id: string) => unknown;
}

/** One record, found by its name, outside of a form. */
export const recordChoice = (page: Page, { kind, label, value, placeholder, choose }: RecordChoiceOptions): TemplateResult =>
  combobox({
    label,
    shown: value === '' ? '' : titleIn(page.store, kind, value),
    placeholder: placeholder ?? t`Choose ${aOne(kind)} …`,
    find: findRecords(page.api, kind),
    choose: (option) => {
      choose(option?.value ?? '');
      if (option) void page.store.ensure(kind, option.value).then(page.redraw);
    },
  });
