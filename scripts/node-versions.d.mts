export const NODE_VERSIONS: readonly string[];
export function installNode(root: string, version: string, say: (line: string) => void): Promise<string>;
