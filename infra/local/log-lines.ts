import { paint } from './terminal.ts';

type Painter = (text: string) => string;

const levels: Record<string, Painter> = {
  error: (text) => paint('red', text),
  warn: (text) => paint('yellow', text),
  info: (text) => paint('green', text),
  debug: (text) => paint('gray', text),
};
const nameWidth = 12;
// Shown in their own places, or of use to machines only.
const placed = new Set(['timestamp', 'service', 'level', 'message', 'requestId', 'status', 'ms', 'traceId', 'spanId']);

/** A printer of the services' log lines: readable, or untouched with LOG_FORMAT=json. */
export function linePrinter(
  format: string | undefined = process.env['LOG_FORMAT'],
): (name: string, line: string) => void {
  const shape = format === 'json' ? (_: string, line: string) => line : readable;
  return (name, line) => void process.stdout.write(`${shape(name, line)}\n`);
}

/** A line of the supervisor itself, in the shape of the others. */
export function ownLine(message: string, level: 'info' | 'warn' | 'error' = 'info'): string {
  return JSON.stringify({ timestamp: new Date().toISOString(), service: 'local', level, message });
}

/** One JSON log line as people read it. A line that is no JSON (a warning of Node, say) stays as it is. */
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
  const given = new Date(typeof timestamp === 'string' ? timestamp : Date.now());
  const date = Number.isNaN(given.getTime()) ? new Date() : given;
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

/** Everything else the entry says; of an error its text, the stack comes below. */
function rest(entry: Record<string, unknown>): string[] {
  return Object.entries(entry)
    .filter(([key, value]) => !placed.has(key) && value !== undefined && value !== null)
    .map(([key, value]) => paint('gray', `${key}=${shown(value)}`));
}

function shown(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  const { stack: _, ...others } = value as Record<string, unknown>;
  return typeof others['message'] === 'string' ? others['message'] : JSON.stringify(others);
}

function stack({ error }: Record<string, unknown>): string[] {
  const lines = (error as { stack?: unknown } | undefined)?.stack;
  return Array.isArray(lines) ? [`\n${paint('gray', lines.join('\n'))}`] : [];
}
