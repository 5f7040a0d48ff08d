export function needsBuild(root: string, files: readonly string[]): boolean;
