import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';

export const OVERLAYS = ['development', 'staging', 'production'] as const;
export type Overlay = (typeof OVERLAYS)[number];

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: Readonly<Record<string, string>> };
  // Depends on the kind; checked against the schemas of Kubernetes.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly spec?: any;
  readonly data?: Readonly<Record<string, string>>;
}

export const K8S = path.resolve(__dirname, '../../k8s');

export const renderedText = (overlay: Overlay): string => readFileSync(path.join(K8S, 'rendered', `${overlay}.yaml`), 'utf8');

export const renderedManifests = (overlay: Overlay): readonly Manifest[] =>
  parseAllDocuments(renderedText(overlay)).map((document) => document.toJS() as Manifest);

/** One field of every entry of a list. */
export const pluck = (list: unknown, field: string): readonly unknown[] => (list as Record<string, unknown>[]).map((entry) => entry[field]);
