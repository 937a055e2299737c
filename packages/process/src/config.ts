import { z } from 'zod';
import { findWeakSecrets, hasLengthOfKey, secretSetting } from './secret-setting.ts';

/**
 * Reads the settings of a process from its environment. A missing or wrong one ends the process with a line that names
 * it and never shows its value, which may be a secret. So does a weak secret, or one that two settings share.
 */
export function readConfig<Schema extends z.ZodObject>(
  schema: Schema,
  env: NodeJS.ProcessEnv = process.env,
): z.output<Schema> {
  const given = Object.fromEntries(
    Object.keys(schema.shape).map((key) => [key, env[key] === '' ? undefined : env[key]]),
  );
  const parsed = schema.safeParse(given);
  const problems = parsed.success
    ? findWeakSecrets(schema.shape, parsed.data)
    : parsed.error.issues.map(({ path, message }) => ({ setting: path.join('.'), message }));
  if (parsed.success && !problems.length) return parsed.data;
  for (const { setting, message } of problems) process.stderr.write(`setting ${setting}: ${message}\n`);
  process.exit(78); // EX_CONFIG
}

/** The setting of every process that answers HTTP. */
export const shutdownSettings = {
  /**
   * How long a process goes on accepting connections after SIGTERM, in ms, while /readyz already answers 503. On Kubernetes
   * it must be longer than an endpoint takes to leave every balancer: 5000 is usual.
   */
  SHUTDOWN_DELAY_MS: z.coerce.number().int().min(0).max(60_000).default(0),
};

/** The settings of every process that keeps data. */
export const storeSettings = {
  ...shutdownSettings,
  HOST: z.string().default('127.0.0.1'),
  PORT: z.coerce.number().int().min(0).max(65_535),
  DATABASE_URL: z.url(),
  /** False behind a pooler in transaction mode that does not track prepared statements. */
  DATABASE_NAMED_STATEMENTS: z.union([z.boolean(), z.stringbool()]).default(true),
  /** Connections to PostgreSQL that requests, consumers and jobs of a process share. */
  DATABASE_POOL_MAX: z.coerce.number().int().min(2).max(1_000).default(10),
  /** How many of them consumers and jobs may hold at once. */
  DATABASE_BACKGROUND_MAX: z.coerce.number().int().min(1).max(999).default(3),
  RELAY_DATABASE_URL: z.url(),
  /** Connections under the relay's role: for the relay, the dispatcher of jobs and housekeeping. */
  RELAY_DATABASE_POOL_MAX: z.coerce.number().int().min(2).max(100).default(3),
  REDIS_URL: z.url(),
  REDIS_JOBS_URL: z.url(),
  AMQP_URL: z.url(),
  /** Begins every name on RabbitMQ and Redis: deployments that share them stay apart. */
  NAMESPACE: z
    .string()
    .regex(/^[a-z0-9-]+$/)
    .default('tandem'),
  /** Signs the caller between gateway and services; each value has an id. */
  INTERNAL_SECRETS: secretSetting(hasLengthOfKey, { needsIds: true }),
};
