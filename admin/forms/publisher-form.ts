import { html } from 'lit-html';
import { textOf } from './typed-text.ts';
import { textField } from '../fields/text-field.ts';
import { hashOf } from '../route.ts';
import type { EntityForm } from './entity-form.ts';
import { formSection } from '../parts/form-section.ts';

export const publisherForm: EntityForm<'publishers'> = {
  kind: 'publishers',
  draftOf: ({ name, domain }) => ({ name: textOf(name), domain: textOf(domain) }),
  recordOf: ({ name, domain }) => ({ name: textOf(name).trim(), domain: textOf(domain).trim() }),
  fields: (form) =>
    formSection(
      'Publisher',
      'A site that shows ads. It gets an API key of its own, which its pages send with every ad request.',
      html`
        ${textField(form, { pointer: '/name', label: 'Name', required: true, placeholder: 'The Daily Gazette' })}
        ${textField(form, { pointer: '/domain', label: 'Domain', required: true, placeholder: 'gazette.example', inputMode: 'url' })}
      `,
    ),
  next: ({ id }, store) =>
    store.all('placements').length === 0
      ? { text: 'Next: say where ads can stand on its pages.', label: 'Add a placement', hash: hashOf(['placements', 'new']) }
      : { text: 'Next: book a campaign for it.', label: 'Add a campaign', hash: hashOf(['campaigns', 'new'], { publisher_id: id }) },
};
