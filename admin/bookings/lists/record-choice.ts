import type { TemplateResult } from 'lit-html';
import type { Page } from '../../page.ts';
import { combobox, type ComboboxOptions } from '../../parts/combobox.ts';
import type { Kind } from '../../api/wire.ts';
import { aOne, titleIn } from '../../words/kinds.ts';
import { findRecords } from './find-records.ts';
import { t } from '../../words/texts.ts';

export interface RecordChoiceOptions extends Omit<ComboboxOptions, 'shown' | 'find' | 'choose'> {
  readonly kind: Kind;
  /** The id; '': none is chosen. */
  readonly value: string;
  readonly choose: (id: string) => unknown;
}

/** One record, found by its name. */
export const recordChoice = (page: Page, options: RecordChoiceOptions): TemplateResult => {
  const { kind, value, choose, placeholder = t`Choose ${aOne(kind)} …`, ...others } = options;
  return combobox({
    ...others,
    placeholder,
    shown: value === '' ? '' : titleIn(page.store, kind, value),
    find: findRecords(page.api, kind),
    choose: (option) => {
      choose(option?.value ?? '');
      if (option) void page.store.ensure(kind, option.value).then(page.redraw);
    },
  });
};
