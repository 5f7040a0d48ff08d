import type { TemplateResult } from 'lit-html';
import type { Api } from './service/api.ts';
import type { Store } from './service/store.ts';
import type { Problem } from './service/wire.ts';

export interface Question {
  readonly title: string;
  readonly text: TemplateResult | string;
  /** The label of the button that confirms. */
  readonly yes: string;
  readonly dangerous?: boolean;
}

export interface ToastOptions {
  readonly tone?: 'good' | 'bad';
  readonly action?: { readonly label: string; readonly run: () => void };
}

/** What a view may use of the page. */
export interface Page {
  readonly api: Api;
  readonly store: Store;
  redraw(): void;
  /** To a hash made by `hashOf`. Without asking about unsaved changes when `saved`. */
  go(hash: string, options?: { readonly saved?: boolean }): void;
  toast(text: string, options?: ToastOptions): void;
  complain(problem: Problem): void;
  confirm(question: Question): Promise<boolean>;
}

/** One screen with its own state; `render` is called after every change. */
export interface View {
  readonly title: string;
  /** Its entry in the navigation. */
  readonly section: string;
  readonly render: () => TemplateResult;
  readonly hasChanges?: () => boolean;
  readonly leave?: () => void;
}
