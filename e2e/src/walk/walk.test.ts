import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { laidOut } from '@tandem/gateway/layout';
import { aTenant, startFleet, type TestFleet } from '@tandem/test-fleet';
import { until } from '@tandem/testing';
import { differences } from './compare.ts';
import { readWalk, type Step } from './document.ts';
import { toExpectation } from './draft.ts';

const run = promisify(execFile);
const file = resolve(import.meta.dirname, '../../walk/README.md');
const page = await readFile(file, 'utf8');
const steps = readWalk(page);
// Writes the current responses into the page, for review.
const isDrafting = process.env.WALK_DRAFT !== undefined;

let fleet: TestFleet;
let folder: string;
const variables: Record<string, string> = {};
const drafts: [step: Step, block: string][] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'walk-'));
  fleet = await startFleet();
  const tenant = await aTenant(fleet, { plan: 'pro' });
  const { live: KEY, accessToken: TOKEN, id: TENANT, userId: USER } = tenant;
  Object.assign(variables, { BASE: fleet.baseUrl, KEY, TOKEN, TENANT, USER });
}, 240_000);
afterAll(async () => {
  await fleet?.stop();
  await rm(folder, { recursive: true, force: true });
  if (isDrafting) await writeFile(file, updatedPage());
}, 60_000);

/** Runs a command of the page unchanged, except that curl writes its response to files. */
async function runStep({ command }: Step) {
  const [head, body] = [join(folder, 'head'), join(folder, 'body')];
  const script = `set -eu\ncurl() { command curl --silent --show-error --max-time 60 -D "${head}" -o "${body}" -w '%{http_code}' "$@"; }\n${command}`;
  const { stdout } = await run('bash', ['--norc', '-c', script], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...variables },
  });
  const text = await readFile(body, 'utf8');
  const headers = await readFile(head, 'utf8');
  return { status: Number(stdout.trim().slice(-3)), text, headers };
}

/** The differences between the response to a step and its expectation. */
function problemsOf(step: Step, answer: Awaited<ReturnType<typeof runStep>>): string[] {
  const { status, text, headers } = answer;
  const actual = typeof step.expected === 'string' ? text.trimEnd().replaceAll('\r\n', '\n') : JSON.parse(text);
  return [
    ...(status === step.status ? [] : [`The status is ${status}, not ${step.status}: ${text.slice(0, 300)}`]),
    ...differences(actual, step.expected, variables),
    ...step.headers
      .filter(({ name, value }) => !new RegExp(`^${name}: ${value}`, 'im').test(headers))
      .map(({ name, value }) => `The header ${name} is not ${value}: ${headers}`),
  ];
}

function keep(step: Step, text: string): void {
  for (const { variable, path } of step.kept) {
    const value = path
      .split('.')
      .reduce<unknown>((at, field) => (at as Record<string, unknown>)?.[field], JSON.parse(text));
    if (typeof value !== 'string') throw new Error(`${step.title}: no text at ${path}`);
    variables[variable] = value;
  }
}

function updatedPage(): string {
  return drafts.reduceRight((text, [{ span }, block]) => text.slice(0, span[0]) + block + text.slice(span[1]), page);
}

// In order, because later steps use records of earlier ones.
describe('the walkthrough of the specification', () => {
  it.each(steps.map((step) => [step.title, step] as const))('%s', async (_, step) => {
    let answer = await runStep(step);
    if (step.isAwaited) {
      await until(`"${step.title}" answers as documented`, async () => {
        answer = await runStep(step);
        if (isDrafting) return answer.status < 300;
        // Thrown, so that a timeout reports them.
        const problems = problemsOf(step, answer);
        if (problems.length) throw new Error(problems.join('; '));
        return true;
      });
    }
    if (isDrafting) {
      const isJson = answer.text.startsWith('{');
      const body = isJson
        ? laidOut(toExpectation(JSON.parse(answer.text), variables), { width: 116, isFilled: true })
        : String(toExpectation(answer.text.trimEnd(), variables));
      drafts.push([step, `\`\`\`${isJson ? 'json' : 'text'} ${answer.status}\n${body}\n\`\`\``]);
    }
    // Also for a wrong response, so that later steps are checked independently.
    keep(step, answer.text);
    if (!isDrafting) expect(problemsOf(step, answer)).toEqual([]);
  });
});
