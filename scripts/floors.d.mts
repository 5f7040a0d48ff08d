export declare const FLOORS: readonly (readonly string[])[];
export declare const SAME_FLOOR: Readonly<Record<string, readonly string[]>>;
export declare const EVERYWHERE: readonly string[];
export declare const EMBEDDED: string;
export declare const importsOf: (name: string, text: string) => readonly { readonly target: string; readonly typeOnly: boolean }[];
export declare const folderOf: (name: string) => string;
export declare const foldersImported: (root: string) => ReadonlyMap<string, ReadonlySet<string>>;
