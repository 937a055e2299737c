import winston from 'winston';
import { createRequestLog, type RequestEntry } from './request-log.ts';
import { currentTrace } from './trace.ts';

/** A winston log with a quick way for the one line that every request writes. */
export interface Log extends winston.Logger {
  /** Notes an answered request at level info. Lines are written in blocks. */
  request<Entry extends RequestEntry>(entry: Entry): void;
  /** Writes the request lines that still wait; a process does so at its end. */
  flush(): void;
}

const secretNames = /authorization|cookie|password|secret|token|api[-_]?key|full[-_]?key|^x-ctx$/i;
const stackLinesMax = 12;
const depthMax = 6;

/** The JSON log of a process, one line an entry on standard output, with the request id and trace of the moment. */
export function createLog(service: string, level = process.env.LOG_LEVEL): Log {
  // Tests provoke errors on purpose; LOG_LEVEL shows them.
  const silent = level === undefined && process.env.NODE_ENV === 'test';
  const log = winston.createLogger({
    level: level ?? 'info',
    silent,
    defaultMeta: { service },
    format: winston.format.combine(winston.format.timestamp(), context(), redact(), winston.format.json()),
    transports: [new winston.transports.Stream({ stream: process.stdout })],
  });
  const isWritten = !silent && log.isLevelEnabled('info');
  const requests = createRequestLog(service, isWritten ? (block) => void process.stdout.write(block) : () => {});
  return Object.assign(log, { request: requests.line, flush: requests.flush });
}

/** Adds what the log line belongs to, so that no call site has to. */
const context = winston.format((entry) => {
  const trace = currentTrace();
  if (trace) {
    entry.requestId ??= trace.requestId;
    entry.traceId ??= trace.traceId;
    entry.tenantId ??= trace.tenantId;
  }
  return entry;
});

/**
 * Errors become their name, message and the top of the stack. Values under secret names never leave the process, however
 * deep they are.
 */
const redact = winston.format((entry) => {
  for (const [key, value] of Object.entries(entry)) entry[key] = redacted(key, value, 0);
  return entry;
});

function redacted(key: string, value: unknown, depth: number): unknown {
  if (typeof value === 'function' || value === undefined || value === null) return value;
  if (secretNames.test(key)) return '[redacted]';
  if (typeof value !== 'object' || value instanceof Date) return value;
  if (value instanceof Error) return describe(value);
  if (depth === depthMax) return '[too deep]';
  if (Array.isArray(value)) return value.map((one) => redacted('', one, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, redacted(name, one, depth + 1)]));
}

function describe(error: Error) {
  const cause = error.cause instanceof Error ? error.cause.message : undefined;
  return { name: error.name, message: error.message, cause, stack: error.stack?.split('\n').slice(1, stackLinesMax) };
}
