import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { FleetEnvironment } from './environment.ts';
import { gatewayName, type Member } from './members.ts';
import { credentialsFile, root } from './paths.ts';
import { paint } from './terminal.ts';

/** The part of .local/credentials.json that the summary shows. */
interface Credentials {
  tenants?: { plan?: string; keys?: { sandbox?: string } }[];
}

/** Prints the URLs of all processes, and an example request. */
export function printSummary(options: {
  members: Member[];
  environment: FleetEnvironment;
  gatewayPort: number;
  defaultPort: number;
  mailboxUrl: string | undefined;
}): void {
  const { members, environment, gatewayPort, defaultPort, mailboxUrl } = options;
  const base = `http://127.0.0.1:${gatewayPort}`;
  const hasGateway = members.some(({ name }) => name === gatewayName);
  const note =
    gatewayPort === defaultPort || process.env['PORT'] ? '' : `  (port ${defaultPort} is in use by another program)`;
  const key = sandboxKey();
  const rows: [string, string][] = [
    ...(hasGateway
      ? ([
          ['API', `${base}${note}`],
          ['Reference', `${base}/docs`],
          [
            'Metrics',
            `http://127.0.0.1:${environment[gatewayName]?.['OPS_PORT']}/metrics, and /metrics of each service`,
          ],
        ] as [string, string][])
      : []),
    ...(mailboxUrl ? ([['Mailbox', mailboxUrl]] as [string, string][]) : []),
    ...members
      .filter(({ name }) => name !== gatewayName)
      .map(({ name }): [string, string] => [name, `http://127.0.0.1:${environment[name]?.['PORT']}`]),
    ...(key
      ? ([
          ['Sandbox key', key],
          ['Credentials', relative(root, credentialsFile)],
        ] as [string, string][])
      : []),
    ['End', 'Ctrl-C here, or npm stop in another terminal'],
  ];
  const width = Math.max(...rows.map(([title]) => title.length));
  const table = rows.map(([title, text]) => `  ${paint('bold', title.padEnd(width))}  ${text}`);
  process.stdout.write(`\n${paint('green', 'Tandem is ready.')}\n\n${table.join('\n')}\n\n${nextCommand(base, key)}`);
}

/** The key of the demo tenant whose plan has every feature, so that every example works with it. */
function sandboxKey(): string | undefined {
  if (!existsSync(credentialsFile)) return undefined;
  try {
    const { tenants = [] } = JSON.parse(readFileSync(credentialsFile, 'utf8')) as Credentials;
    const withKey = tenants.filter(({ keys }) => keys?.sandbox);
    return (withKey.find(({ plan }) => plan === 'enterprise') ?? withKey[0])?.keys?.sandbox;
  } catch {
    return undefined;
  }
}

function nextCommand(base: string, key: string | undefined): string {
  if (!key) return '';
  const command = [
    `curl -s ${base}/v1/leads \\`,
    `  -H 'X-API-Key: ${key}' -H 'Content-Type: application/json' \\`,
    `  -d '{"email":"ada@example.com","firstName":"Ada","lastName":"Lovelace","source":"api"}'`,
  ];
  return `Example request, for another terminal:\n\n${command.map((line) => `  ${line}\n`).join('')}\n`;
}
