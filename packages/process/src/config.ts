import { z } from 'zod';

/**
 * Reads the settings of a process from its environment. A missing or wrong one ends the process with a line that names
 * it and never shows its value, which may be a secret.
 */
export function readConfig<Schema extends z.ZodObject>(
  schema: Schema,
  env: NodeJS.ProcessEnv = process.env,
): z.output<Schema> {
  const given = Object.fromEntries(
    Object.keys(schema.shape).map((key) => [key, env[key] === '' ? undefined : env[key]]),
  );
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues) process.stderr.write(`setting ${issue.path.join('.')}: ${issue.message}\n`);
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
  RELAY_DATABASE_URL: z.url(),
  REDIS_URL: z.url(),
  REDIS_JOBS_URL: z.url(),
  AMQP_URL: z.url(),
  /** Begins every name on RabbitMQ and Redis: deployments that share them stay apart. */
  NAMESPACE: z
    .string()
    .regex(/^[a-z0-9-]+$/)
    .default('tandem'),
  INTERNAL_SECRETS: z.string().min(34),
};
