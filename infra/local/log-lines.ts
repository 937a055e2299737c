import { paint } from './terminal.ts';

type Painter = (text: string) => string;

const levels: Record<string, Painter> = {
  error: (text) => paint('red', text),
  warn: (text) => paint('yellow', text),
  info: (text) => paint('green', text),
  debug: (text) => paint('gray', text),
};
const nameWidth = 12;
// Fields shown in a fixed position, or only useful for machines.
const excludedFields = new Set([
  'timestamp',
  'service',
  'level',
  'message',
  'requestId',
  'status',
  'ms',
  'traceId',
  'spanId',
]);

/** Creates a printer of log lines: human-readable, or unchanged with LOG_FORMAT=json. */
export function linePrinter(
  format: string | undefined = process.env['LOG_FORMAT'],
): (name: string, line: string) => void {
  const formatLine = format === 'json' ? (_: string, line: string) => line : readable;
  return (name, line) => void process.stdout.write(`${formatLine(name, line)}\n`);
}

/** A log line of the supervisor itself, in the same JSON format. */
export function ownLine(message: string, level: 'info' | 'warn' | 'error' = 'info'): string {
  return JSON.stringify({ timestamp: new Date().toISOString(), service: 'local', level, message });
}

/** Formats a JSON log line for people. Other lines, such as Node's warnings, are kept unchanged. */
export function readable(name: string, line: string): string {
  const entry = parse(line);
  if (!entry) return `${clock(undefined)} ${paint('cyan', name.padEnd(nameWidth))}       ${line}`;
  const level = String(entry['level'] ?? 'info');
  const head = [
    clock(entry['timestamp']),
    paint('cyan', String(entry['service'] ?? name).padEnd(nameWidth)),
    (levels[level] ?? String)(level.padEnd(5)),
    String(entry['message'] ?? ''),
  ];
  return [...head, ...answer(entry), ...rest(entry), ...request(entry), ...stack(entry)].join(' ');
}

function parse(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

function clock(timestamp: unknown): string {
  const parsed = new Date(typeof timestamp === 'string' ? timestamp : Date.now());
  const date = Number.isNaN(parsed.getTime()) ? new Date() : parsed;
  const two = (part: number) => String(part).padStart(2, '0');
  const time = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  return paint('gray', `${time}.${String(date.getMilliseconds()).padStart(3, '0')}`);
}

function answer({ status, ms }: Record<string, unknown>): string[] {
  const code = Number(status);
  const colour = code >= 500 ? 'red' : code >= 400 ? 'yellow' : 'green';
  return [
    ...(status === undefined ? [] : [paint(colour, String(status))]),
    ...(ms === undefined ? [] : [paint('gray', `${ms} ms`)]),
  ];
}

function request({ requestId }: Record<string, unknown>): string[] {
  return requestId === undefined ? [] : [paint('gray', String(requestId))];
}

/** The remaining fields; for an error its message, because the stack follows below. */
function rest(entry: Record<string, unknown>): string[] {
  return Object.entries(entry)
    .filter(([key, value]) => !excludedFields.has(key) && value !== undefined && value !== null)
    .map(([key, value]) => paint('gray', `${key}=${formatValue(value)}`));
}

function formatValue(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  const { stack: _, ...others } = value as Record<string, unknown>;
  return typeof others['message'] === 'string' ? others['message'] : JSON.stringify(others);
}

function stack({ error }: Record<string, unknown>): string[] {
  const lines = (error as { stack?: unknown } | undefined)?.stack;
  return Array.isArray(lines) ? [`\n${paint('gray', lines.join('\n'))}`] : [];
}
