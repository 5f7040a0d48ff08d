import type { TemplateResult } from 'lit-html';
import type { Draft, Form } from './form.ts';
import type { Page } from '../page.ts';
import type { Store } from '../service/store.ts';
import type { Kind, Records } from '../service/wire.ts';

/** A step that makes sense next, and where it is taken. */
export interface NextStep {
  readonly text: string;
  readonly label: string;
  readonly hash: string;
}

/** How one kind of entity is edited. */
export interface EntityForm<K extends Kind> {
  readonly kind: K;
  /** For an existing record, a copy of one, or a new one with what the address already says. */
  readonly draftOf: (record: Partial<Records[K]>, store: Store) => Draft;
  /** The record as the service wants it. */
  readonly recordOf: (draft: Draft) => object;
  readonly fields: (form: Form, page: Page, options: { readonly isNew: boolean }) => TemplateResult;
  /** What must be there before one can be made. */
  readonly missing?: (store: Store) => NextStep | undefined;
  /** What to do once one was made. */
  readonly next: (record: Records[K], store: Store) => NextStep | undefined;
}
