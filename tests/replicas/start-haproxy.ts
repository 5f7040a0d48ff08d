import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../src/embedded/free-port.ts';

export const hasHaproxy = spawnSync('haproxy', ['-v']).status === 0;

/**
 * A load balancer as it is run in front of the service: it asks /ready five times a second, keeps connections to the replicas open, and sends a
 * request again only when no connection could be made, so never one that a replica may have seen.
 * @returns where it listens
 */
export const startHaproxy = async (replicaPorts: readonly number[]): Promise<{ readonly url: string; stop(): Promise<void> }> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'ad-server-haproxy-'));
  const port = await freePort();
  const servers = replicaPorts.map((replica, i) => `  server replica${i + 1} 127.0.0.1:${replica} check inter 200ms fall 1 rise 1`);
  await writeFile(
    path.join(folder, 'haproxy.cfg'),
    `global
  nbthread 1
defaults
  mode http
  timeout connect 1s
  timeout client 30s
  timeout server 30s
  timeout http-keep-alive 60s
  retries 3
  option redispatch
  retry-on conn-failure
  option httpchk GET /ready
frontend public
  bind 127.0.0.1:${port}
  default_backend replicas
backend replicas
  balance roundrobin
  http-reuse safe
${servers.join('\n')}
`,
  );
  const haproxy = spawn('setpriv', ['--pdeathsig', 'KILL', 'haproxy', '-db', '-f', path.join(folder, 'haproxy.cfg')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  haproxy.stderr.on('data', (chunk) => (said += String(chunk)));
  const ended = once(haproxy, 'close');
  while (!(await accepts(port))) {
    if (haproxy.exitCode !== null) throw new Error(`haproxy did not start:\n${said}`);
    await sleep(20);
  }
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      haproxy.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true });
    },
  };
};

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
