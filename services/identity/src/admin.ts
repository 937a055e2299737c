// `npm run admin -- <command>`: what operators do with the running fleet.
import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { createCallerSigner } from '@tandem/caller';
import { createServiceClient, ServiceCallError } from '@tandem/client/internal';
import { type Plan, planCodes } from '@tandem/contract';
import { type DeadLetter, listDeadLetters, replayDeadLetters } from '@tandem/events';
import { internalAdmin, internalSecrets } from '@tandem/identity-contract';
import { createIdCodec } from '@tandem/ids';
import { readConfig } from '@tandem/process';
import { internalSearch } from '@tandem/search-contract';
import { z } from 'zod';
import { rebuildSearch } from './admin-rebuild.ts';
import { outdatedKeys, rehashAddresses, sealedValues } from './admin-secrets.ts';
import { moveQueue, topology } from './admin-topology.ts';

const usage = `Usage: npm run admin -- <command>

  tenants                               every tenant with its plan
  plan <tenant> <plan>                  put a tenant on a plan: ${planCodes.join(', ')}
       [--monthly N] [--rate N] [--burst N]   the limits of an enterprise tenant; without one there is no limit
  audit:verify <tenant> | --all         recalculate the hash chain of the audit log
  dead-letters                          how many events each consumer gave up on
  dead-letters:list <service.consumer>  what they are, and why
       [--id ID]                        one of them, with its error in full
  dead-letters:replay <service.consumer>  give them back to their consumer
  secrets                               what still needs a secret that is no longer current
  secrets:rehash                        hash all e-mail addresses under the current pepper
  topology                              compare RabbitMQ with what the running services declare
       [--repair]                       declare what is missing, remove what is left over; queues with messages stay
  topology:move <queue> <service.consumer>  move the messages of an orphaned queue to a consumer
  rebuild search [--tenant T]           index all records again from the services that own them, while events go on
       [--rate N] [--from PLACE]        records a second (500); where an interrupted rebuild goes on

Tenants are named by their public id. Exit code: 0 done, 1 failed or not intact, 2 wrong usage.`;

// Leaves most of a service's capacity to requests.
const rebuildRate = 500;

class WrongUsage extends Error {}

const settings = readConfig(
  z.object({
    IDENTITY_URL: z.url(),
    INTERNAL_SECRETS: z.string(),
    AMQP_URL: z.url(),
    AMQP_MANAGEMENT_URL: z.url().optional(),
    SEARCH_URL: z.url().optional(),
    IDS_ALPHABET: z.string(),
    NAMESPACE: z.string().default('tandem'),
  }),
);
const ids = createIdCodec(settings.IDS_ALPHABET);
const identity = createServiceClient({
  operations: { ...internalAdmin, ...internalSecrets },
  baseUrl: settings.IDENTITY_URL,
  service: 'admin',
  signer: createCallerSigner(settings.INTERNAL_SECRETS),
});
const as = { environment: 'live', requestId: `admin_${randomUUID()}` } as const;

const commands: Record<string, (args: string[]) => Promise<boolean>> = {
  tenants: async (args) => {
    take(args, 0);
    const rows = (await everyTenant()).map(({ id, name, plan, status }) => [publicId(id), plan, status, name]);
    return print(['TENANT', 'PLAN', 'STATUS', 'NAME'], rows);
  },
  plan: setPlan,
  'audit:verify': verifyAudit,
  'dead-letters': async (args) => {
    take(args, 0);
    return print(['CONSUMER', 'DEAD LETTERS'], await deadLetterDepths());
  },
  'dead-letters:list': async (args) => {
    const { values, positionals } = parse(args);
    const letters = await listDeadLetters(consumerQueue(take(positionals, 1)[0]));
    if (values.id !== undefined) return printLetter(letters.find(({ eventId }) => eventId === values.id));
    return print(
      ['DIED', 'EVENT', 'ID', 'ATTEMPTS', 'REASON', 'ERROR'],
      letters.map((one) => [one.diedAt, one.name, one.eventId, one.attempts, one.reason, one.error]),
    );
  },
  'dead-letters:replay': async (args) => {
    const count = await replayDeadLetters(consumerQueue(take(args, 1)[0]));
    console.log(`${count} given back to their consumer`);
    return true;
  },
  secrets: async (args) => {
    take(args, 0);
    console.log('Encrypted values by the id of their key (ENCRYPTION_KEY):\n');
    print(['KEY', 'SERVICE', 'COLUMN', 'VALUES'], await sealedValues(readMetrics));
    console.log('\nActive API keys under a previous pepper (KEY_PEPPER), which are rehashed when they are used:\n');
    return print(
      ['API KEY', 'TENANT', 'ENDS IN', 'LAST USED', 'EXPIRES', 'NAME'],
      await outdatedKeys({ identity, as, ids }),
    );
  },
  'secrets:rehash': async (args) => {
    take(args, 0);
    const { rehashed, left } = await rehashAddresses({ identity, as });
    console.log(`${rehashed} addresses rehashed, ${left} left`);
    return left === 0;
  },
  topology: async (args) => {
    const { values, positionals } = parse(args);
    take(positionals, 0);
    return topology(fleet(), { repair: values.repair ?? false });
  },
  rebuild: async (args) => {
    const { values, positionals } = parse(args);
    const [projection] = take(positionals, 1);
    if (projection !== 'search') throw new WrongUsage(`"${projection}" cannot be rebuilt; search can.`);
    if (!settings.SEARCH_URL) throw new Error('SEARCH_URL is not set');
    const { INTERNAL_SECRETS: secrets, SEARCH_URL: baseUrl } = settings;
    const signer = createCallerSigner(secrets);
    const search = createServiceClient({ operations: internalSearch, baseUrl, service: 'admin', signer });
    const tenants = values.tenant ? [tenantId(values.tenant)] : (await everyTenant()).map(({ id }) => id);
    const options = { rate: wholeNumber('rate', values.rate) ?? rebuildRate, from: values.from };
    return rebuildSearch(search, tenants, { options, as });
  },
  'topology:move': async (args) => {
    const [queue, consumer] = take(args, 2);
    consumerQueue(consumer);
    return moveQueue(fleet(), queue, consumer);
  },
};

process.exitCode = await main(process.argv.slice(2));
// Connections that are kept open would keep the process for their lifetime.
process.exit();

async function main([name, ...args]: string[]): Promise<number> {
  try {
    const command = commands[name ?? ''];
    if (!command) throw new WrongUsage(name ? `There is no command "${name}".` : undefined);
    return (await command(args)) ? 0 : 1;
  } catch (error) {
    if (error instanceof WrongUsage) {
      console.error(error.message ? `${error.message}\n\n${usage}` : usage);
      return 2;
    }
    console.error(`error: ${explain(error)}`);
    return 1;
  }
}

async function setPlan(args: string[]): Promise<boolean> {
  const { values, positionals } = parse(args);
  const [code, plan] = take(positionals, 2);
  if (!(planCodes as string[]).includes(plan)) throw new WrongUsage(`"${plan}" is no plan.`);
  const limits = {
    monthlyCalls: wholeNumber('monthly', values.monthly),
    ratePerMinute: wholeNumber('rate', values.rate),
    burst: wholeNumber('burst', values.burst),
  };
  if (plan !== 'enterprise' && Object.values(limits).some((limit) => limit !== null))
    throw new WrongUsage('Only enterprise has limits of its own.');
  const set = await identity.setTenantPlan({ body: { tenantId: tenantId(code), plan: plan as Plan, ...limits }, as });
  const shown = (limit: number | null) => limit ?? 'no limit';
  console.log(
    `${code} is on ${set.plan}: calls a month ${shown(set.monthlyCalls)}, requests a minute ${shown(set.ratePerMinute)}, burst ${shown(set.burst)}`,
  );
  return true;
}

async function verifyAudit(args: string[]): Promise<boolean> {
  const { values, positionals } = parse(args);
  const named = take(positionals, values.all ? 0 : 1).map(tenantId);
  const tenants = values.all ? (await everyTenant()).map(({ id }) => id) : named;
  const rows = [];
  let isIntact = true;
  for (const id of tenants) {
    const { entries, purged, intact, firstBroken, reason } = await identity.verifyAuditChain({
      body: { tenantId: id },
      as,
    });
    isIntact &&= intact;
    const where = firstBroken === null ? '' : ` (entry ${ids.encode('audit_log', id, firstBroken)})`;
    rows.push([publicId(id), entries, purged, intact ? 'intact' : `BROKEN: ${reason}${where}`]);
  }
  print(['TENANT', 'ENTRIES', 'REMOVED FOR AGE', 'CHAIN'], rows);
  return isIntact;
}

async function everyTenant() {
  const all = [];
  for (let after: number | null = null; ; ) {
    const some: Awaited<ReturnType<typeof identity.listTenants>> = await identity.listTenants({ body: { after }, as });
    all.push(...some);
    const last = some.at(-1);
    if (!last) return all;
    after = last.id;
  }
}

/** The depth of the dead-letter queue of every consumer, as the services show it on /metrics. */
async function deadLetterDepths(): Promise<[string, string][]> {
  const depths = (await readMetrics()).flatMap(({ text = '' }) =>
    [...text.matchAll(/^tandem_dead_letters\{(.*)\} (\S+)$/gm)].map(([, labels, depth]): [string, string] => {
      const queue = /queue="([^"]+)"/.exec(labels as string)?.[1] as string;
      return [queue.slice(settings.NAMESPACE.length + 1), depth as string];
    }),
  );
  return depths.sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The /metrics of every service; of several instances, the one that answers. */
function readMetrics(): Promise<{ service: string; text: string | undefined }[]> {
  return Promise.all(
    [...serviceAddresses()].map(async ([service, address]) => {
      const text = await fetch(`${address}/metrics`, { signal: AbortSignal.timeout(3_000) }).then(
        (response) => (response.ok ? response.text() : undefined),
        () => undefined,
      );
      if (text === undefined) console.error(`${service} does not answer`);
      return { service, text };
    }),
  );
}

/** Service → address, as the settings name them. The gateway consumes nothing, and shows its metrics on another port. */
function serviceAddresses(): Map<string, string> {
  return new Map(
    Object.entries(process.env).flatMap(([name, value]) =>
      /^(?!GATEWAY_|PUBLIC_|AMQP_|AI_|WEBHOOK_)[A-Z_]+_URL$/.test(name) && value?.startsWith('http')
        ? [[name.slice(0, -4).toLowerCase().replaceAll('_', '-'), value]]
        : [],
    ),
  );
}

function fleet() {
  return {
    amqpUrl: settings.AMQP_URL,
    managementUrl: settings.AMQP_MANAGEMENT_URL,
    namespace: settings.NAMESPACE,
    services: serviceAddresses(),
  };
}

function consumerQueue(consumer: string) {
  if (!/^[a-z-]+\.[a-z-]+$/.test(consumer))
    throw new WrongUsage(`"${consumer}" is no consumer, such as crm.detect-duplicates.`);
  return { url: settings.AMQP_URL, namespace: settings.NAMESPACE, consumer };
}

function parse(args: string[]) {
  try {
    const text = { type: 'string' } as const;
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        monthly: text,
        rate: text,
        burst: text,
        id: text,
        tenant: text,
        from: text,
        all: { type: 'boolean' },
        repair: { type: 'boolean' },
      },
    });
  } catch (error) {
    throw new WrongUsage((error as Error).message);
  }
}

function take<N extends 0 | 1 | 2>(args: string[], count: N): N extends 2 ? [string, string] : [string] {
  if (args.length !== count)
    throw new WrongUsage(`This command takes ${count || 'no'} ${count === 1 ? 'argument' : 'arguments'}.`);
  return args as never;
}

function wholeNumber(option: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  if (!/^[0-9]{1,9}$/.test(text)) throw new WrongUsage(`--${option} takes a whole number.`);
  return Number(text);
}

function tenantId(code: string): number {
  const id = ids.decode('tenant', undefined, code);
  if (id === undefined) throw new WrongUsage(`"${code}" is no id of a tenant.`);
  return id;
}

function publicId(id: number): string {
  return ids.encode('tenant', id, id);
}

function printLetter(letter: DeadLetter | undefined): boolean {
  if (!letter) throw new Error('there is no dead letter with this id among the first hundred');
  const { fullError, error, ...facts } = letter;
  for (const [name, value] of Object.entries(facts)) console.log(`${name}: ${value}`);
  console.log(`\n${fullError}`);
  return true;
}

/** A table whose columns stand below each other. */
function print(head: string[], rows: (string | number)[][]): true {
  const lines = [head, ...rows.map((row) => row.map(String))];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  for (const line of lines)
    console.log(
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
  if (!rows.length) console.log('(none)');
  return true;
}

function explain(error: unknown): string {
  if (error instanceof ServiceCallError && error.status === 404) return 'there is no such tenant';
  if (error instanceof ServiceCallError && error.status === 503)
    return `identity does not answer at ${settings.IDENTITY_URL}: is the fleet running?`;
  const text = error instanceof Error ? error.message : String(error);
  return /NOT_FOUND/.test(text) ? 'there is no such consumer' : text;
}
