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

const secretNames = /^(authorization|x-api-key|cookie|password|secret|token|fullkey|accesstoken|refreshtoken|x-ctx)$/i;
const stackLinesMax = 12;

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

/** Adds what the running request is, so that no call site has to. */
const context = winston.format((entry) => {
  const trace = currentTrace();
  if (trace) {
    entry.requestId ??= trace.requestId;
    entry.traceId ??= trace.traceId;
  }
  return entry;
});

/** Errors become their name, message and the top of the stack; values under secret names never leave the process. */
const redact = winston.format((entry) => {
  for (const [key, value] of Object.entries(entry)) {
    if (secretNames.test(key)) entry[key] = '[redacted]';
    else if (value instanceof Error) entry[key] = describe(value);
  }
  return entry;
});

function describe(error: Error) {
  const cause = error.cause instanceof Error ? error.cause.message : undefined;
  return { name: error.name, message: error.message, cause, stack: error.stack?.split('\n').slice(1, stackLinesMax) };
}
