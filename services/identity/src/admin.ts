// Operator CLI for a running fleet: `npm run admin -- <command>`.
import { randomUUID } from 'node:crypto';
import { createCallerSigner } from '@tandem/caller';
import { createServiceClient, ServiceCallError } from '@tandem/client/internal';
import { planCodes } from '@tandem/contract';
import { internalAdmin, internalSecrets, internalTenantLife } from '@tandem/identity-contract';
import { createIdCodec } from '@tandem/ids';
import { readConfig } from '@tandem/process';
import { searchEngines } from '@tandem/search-contract';
import { z } from 'zod';
import { expectArguments, parseOptions, UsageError, wholeNumber } from './admin-arguments.ts';
import { checkConsumer, printDeadLetterCounts, printDeadLetters, replay } from './admin-dead-letters.ts';
import { type Connect, projections } from './admin-projections.ts';
import { rebuildProjection } from './admin-rebuild.ts';
import { searchEngineOf } from './admin-search-engine.ts';
import { outdatedKeys, rehashAddresses, sealedValues } from './admin-secrets.ts';
import { serviceAddresses } from './admin-services.ts';
import { printTable } from './admin-table.ts';
import {
  changeTenantLife,
  listAllTenants,
  printTenants,
  setPlan,
  setSubscription,
  tenantId,
  verifyAudit,
} from './admin-tenants.ts';
import { moveQueue, topology } from './admin-topology.ts';

const usage = `Usage: npm run admin -- <command>

  tenants                               list all tenants with their plans
  plan <tenant> <plan>                  set the plan of a tenant: ${planCodes.join(', ')}
       [--monthly N] [--rate N] [--burst N]   limits of an enterprise tenant; an omitted limit is unlimited
  tenant show <tenant>                  show the status of a tenant, why it is suspended, and the progress of its deletion
  tenant suspend <tenant>               refuse its credentials; its jobs and webhooks wait
       [--reason TEXT]                  shown by tenant show
  tenant resume <tenant>                undo a suspension, and a deletion whose grace period has not ended
  tenant delete <tenant> [--grace DAYS] suspend it, and delete all of its data after 30 days
  subscription <tenant> <status>        record what happens outside of the platform: trialing, past_due, active, canceled
       [--plan PLAN] [--days N]         the plan of a trial; the days until a trial or an unpaid subscription ends (14)
  audit:verify <tenant> | --all         verify the hash chain of the audit log
  dead-letters                          show the number of dead letters of each consumer
  dead-letters:list <service.consumer>  list the dead letters of a consumer with their errors
       [--id ID]                        show one dead letter with its full error
  dead-letters:replay <service.consumer>  send the dead letters to their consumer again
  secrets                               list what still depends on a previous secret
  secrets:rehash                        rehash all e-mail addresses with the current pepper
  topology                              compare RabbitMQ with the declarations of the running services
       [--repair]                       declare what is missing, remove what is unused; queues with messages are kept
  topology:move <queue> <service.consumer>  move the messages of an orphaned queue to a consumer
  search-engine <tenant> [<engine>]     show, or choose, what answers the searches of a tenant: ${searchEngines.join(', ')}
  rebuild <name> [--tenant T]           rebuild derived data from the source records, while events are processed:
                                        ${Object.keys(projections).join(', ')}
       [--rate N] [--from POSITION]     records per second (500); where to continue an interrupted rebuild

<tenant> and T are the public id of a tenant. Exit codes: 0 success, 1 failure or differences found, 2 wrong usage.`;

// Leaves most of the service's capacity for requests.
const rebuildRate = 500;

const settings = readConfig(
  z.object({
    IDENTITY_URL: z.url(),
    INTERNAL_SECRETS: z.string(),
    AMQP_URL: z.url(),
    AMQP_MANAGEMENT_URL: z.url().optional(),
    IDS_ALPHABET: z.string(),
    NAMESPACE: z.string().default('tandem'),
  }),
);
const signing = { service: 'admin', signer: createCallerSigner(settings.INTERNAL_SECRETS) };
const admin = {
  identity: createServiceClient({
    ...signing,
    operations: { ...internalAdmin, ...internalSecrets, ...internalTenantLife },
    baseUrl: settings.IDENTITY_URL,
  }),
  as: { environment: 'live', requestId: `admin_${randomUUID()}` } as const,
  ids: createIdCodec(settings.IDS_ALPHABET),
};
const broker = { url: settings.AMQP_URL, namespace: settings.NAMESPACE };

const commands: Record<string, (args: string[]) => Promise<boolean>> = {
  tenants: async (args) => {
    expectArguments(args, 0);
    return printTenants(admin);
  },
  plan: (args) => setPlan(admin, args),
  tenant: (args) => changeTenantLife(admin, args),
  subscription: (args) => setSubscription(admin, args),
  'audit:verify': (args) => verifyAudit(admin, args),
  'dead-letters': async (args) => {
    expectArguments(args, 0);
    return printDeadLetterCounts(broker.namespace);
  },
  'dead-letters:list': async (args) => {
    const { values, positionals } = parseOptions(args);
    return printDeadLetters(broker, expectArguments(positionals, 1)[0], values.id);
  },
  'dead-letters:replay': async (args) => replay(broker, expectArguments(args, 1)[0]),
  secrets: async (args) => {
    expectArguments(args, 0);
    console.log(
      'Encrypted values by the id of their key (ENCRYPTION_KEY). A service counts them 10 s after its start and',
    );
    console.log('then every 5 minutes, so a change may show only after that time:\n');
    printTable(['KEY', 'SERVICE', 'COLUMN', 'VALUES'], await sealedValues());
    console.log('\nActive API keys under a previous pepper (KEY_PEPPER), each rehashed at its next use:\n');
    return printTable(['API KEY', 'TENANT', 'ENDS IN', 'LAST USED', 'EXPIRES', 'NAME'], await outdatedKeys(admin));
  },
  'secrets:rehash': async (args) => {
    expectArguments(args, 0);
    const { rehashed, left } = await rehashAddresses(admin);
    console.log(`${rehashed} addresses rehashed, ${left} remaining`);
    return left === 0;
  },
  topology: async (args) => {
    const { values, positionals } = parseOptions(args);
    expectArguments(positionals, 0);
    return topology(fleet(), { repair: values.repair ?? false });
  },
  'topology:move': async (args) => {
    const [queue, consumer] = expectArguments(args, 2);
    checkConsumer(consumer);
    return moveQueue(fleet(), queue, consumer);
  },
  'search-engine': async (args) => {
    const { positionals } = parseOptions(args);
    const [tenant, engine] = positionals;
    expectArguments(positionals.slice(0, 1), 1);
    expectArguments(positionals.slice(2), 0);
    const within = { tenantId: tenantId(admin, tenant as string), as: admin.as };
    return searchEngineOf(connectTo('search'), within, engine);
  },
  rebuild: async (args) => {
    const { values, positionals } = parseOptions(args);
    const [name] = expectArguments(positionals, 1);
    const projection = projections[name];
    if (!projection)
      throw new UsageError(`"${name}" cannot be rebuilt; these can: ${Object.keys(projections).join(', ')}.`);
    const connect = connectTo(projection.service);
    const tenants = values.tenant
      ? [tenantId(admin, values.tenant)]
      : (await listAllTenants(admin)).map(({ id }) => id);
    const rate = wholeNumber('rate', values.rate) ?? rebuildRate;
    if (rate === 0) throw new UsageError('--rate must be at least 1.');
    const options = { rate, from: values.from };
    return rebuildProjection(projection, tenants, options, { as: admin.as, ids: admin.ids, connect });
  },
};

process.exitCode = await main(process.argv.slice(2));
// Open keep-alive connections would otherwise keep the process running.
process.exit();

async function main([name, ...args]: string[]): Promise<number> {
  try {
    const command = commands[name ?? ''];
    if (!command) throw new UsageError(name ? `Unknown command "${name}".` : undefined);
    return (await command(args)) ? 0 : 1;
  } catch (error) {
    if (error instanceof UsageError) {
      console.error(error.message ? `${error.message}\n\n${usage}` : usage);
      return 2;
    }
    console.error(`error: ${errorMessage(error)}`);
    return 1;
  }
}

/** @throws Error when the address of the service is not set */
function connectTo(service: string): Connect {
  const baseUrl = serviceAddresses().get(service);
  if (!baseUrl) throw new Error(`the setting ${service.toUpperCase()}_URL is required`);
  return (operations) => createServiceClient({ ...signing, operations, baseUrl });
}

function fleet() {
  return {
    amqpUrl: settings.AMQP_URL,
    managementUrl: settings.AMQP_MANAGEMENT_URL,
    namespace: settings.NAMESPACE,
    services: serviceAddresses(),
  };
}

function errorMessage(error: unknown): string {
  if (error instanceof ServiceCallError && error.status === 404) return 'no tenant has this id';
  if (error instanceof ServiceCallError && error.status === 503)
    return `a service does not respond (${error.message}): check that the fleet is running`;
  const text = error instanceof Error ? error.message : String(error);
  return /NOT_FOUND/.test(text) ? 'the queue of this consumer does not exist' : text;
}
