import type { TemplateResult } from 'lit-html';
import type { Api } from './service/api.ts';
import type { Store } from './service/store.ts';
import type { Problem } from './service/wire.ts';

export interface Question {
  readonly title: string;
  readonly text: TemplateResult | string;
  /** The word on the button that goes ahead. */
  readonly yes: string;
  readonly dangerous?: boolean;
}

export interface ToastOptions {
  readonly tone?: 'good' | 'bad';
  readonly action?: { readonly label: string; readonly run: () => void };
}

/** What every view may use of the page around it. */
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

/** One screen. It keeps its own state; `render` is called whenever anything may have changed. */
export interface View {
  readonly title: string;
  /** The entry of the navigation that it belongs to. */
  readonly section: string;
  readonly render: () => TemplateResult;
  readonly hasChanges?: () => boolean;
  readonly leave?: () => void;
}
