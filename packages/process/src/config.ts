import { z } from 'zod';
import { findWeakSecrets, hasLengthOfKey, secretSetting } from './secret-setting.ts';

/**
 * Reads the settings of a process from its environment. If a setting is missing or invalid, a secret is weak, or two
 * settings share a secret, the process exits with a line that names the setting. The line never shows a value.
 */
export function readConfig<Schema extends z.ZodObject>(
  schema: Schema,
  env: NodeJS.ProcessEnv = process.env,
): z.output<Schema> {
  const input = Object.fromEntries(
    Object.keys(schema.shape).map((key) => [key, env[key] === '' ? undefined : env[key]]),
  );
  const parsed = schema.safeParse(input, { error: messageOf });
  const problems = parsed.success
    ? findWeakSecrets(schema.shape, parsed.data)
    : parsed.error.issues.map(({ path, message }) => ({ setting: path.join('.'), message }));
  if (parsed.success && !problems.length) return parsed.data;
  for (const { setting, message } of problems) process.stderr.write(`setting ${setting}: ${message}\n`);
  process.exit(78); // EX_CONFIG
}

/** The message for an invalid value; undefined for other issues, which keep the message of zod. */
function messageOf(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_type' && issue.input === undefined) return 'Is required';
  if (issue.code === 'invalid_type' && issue.expected === 'number') return 'Must be a number';
  if (issue.code === 'invalid_type' && issue.expected === 'int') return 'Must be a whole number';
  if (issue.code === 'too_small' && issue.origin === 'number') return `Must be at least ${issue.minimum}`;
  if (issue.code === 'too_big' && issue.origin === 'number') return `Must be at most ${issue.maximum}`;
  if (issue.code === 'invalid_value') return `Must be one of ${issue.values.join(', ')}`;
  return undefined;
}

/** Settings of every process that serves HTTP. */
export const processSettings = {
  /** Read by `createLog`; declared here so that a wrong value is refused instead of turning off all logs. */
  LOG_LEVEL: z.enum(['error', 'warn', 'info', 'debug']).optional(),
  /**
   * How long a process keeps accepting connections after SIGTERM, in ms, while /readyz already returns 503. On
   * Kubernetes it must exceed the time until every load balancer has removed the endpoint; 5000 is usual.
   */
  SHUTDOWN_DELAY_MS: z.coerce.number().int().min(0).max(60_000).default(0),
};

/** Settings of every process that stores data. */
export const storeSettings = {
  ...processSettings,
  HOST: z.string().default('127.0.0.1'),
  PORT: z.coerce.number().int().min(0).max(65_535),
  DATABASE_URL: z.url(),
  /** Set to false behind a pooler in transaction mode that does not track prepared statements. */
  DATABASE_NAMED_STATEMENTS: z.union([z.boolean(), z.stringbool()]).default(true),
  /** Size of the PostgreSQL connection pool that requests, consumers and jobs share. */
  DATABASE_POOL_MAX: z.coerce
    .number()
    .int()
    .min(2, 'Must be at least 2: consumers and jobs use one connection, which leaves none of 1 for requests')
    .max(1_000)
    .default(10),
  /** How many of these connections consumers and jobs may use at once. */
  DATABASE_BACKGROUND_MAX: z.coerce.number().int().min(1).max(999).default(3),
  RELAY_DATABASE_URL: z.url(),
  /** Size of the connection pool of the relay role, used by the outbox relay, the job dispatcher and housekeeping. */
  RELAY_DATABASE_POOL_MAX: z.coerce
    .number()
    .int()
    .min(2, 'Must be at least 2: housekeeping may use one connection for long, which leaves none of 1 for the relay')
    .max(100)
    .default(3),
  REDIS_URL: z.url(),
  REDIS_JOBS_URL: z.url(),
  AMQP_URL: z.url(),
  /** Prefix of every name on RabbitMQ and Redis, so that several deployments can share them. */
  NAMESPACE: z
    .string()
    .regex(/^[a-z0-9-]+$/)
    .default('tandem'),
  /** Signs the caller context between gateway and services; each value has an id. */
  INTERNAL_SECRETS: secretSetting(hasLengthOfKey, { needsIds: true }),
};
