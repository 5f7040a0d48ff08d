export function needsOfTests(root: string, files: readonly string[]): { readonly build: boolean; readonly stores: boolean };
