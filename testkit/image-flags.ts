import { readFileSync } from 'node:fs';

const dockerfile = readFileSync(new URL('../Dockerfile', import.meta.url), 'utf8');
const command = /^CMD (\["node", .+\])$/m.exec(dockerfile)?.[1];
if (command === undefined) throw new Error('The Dockerfile has no command that starts node.');

/** The flags of Node with which the image starts the service. */
export const IMAGE_FLAGS = (JSON.parse(command) as readonly string[]).filter((argument) => argument.startsWith('--'));
