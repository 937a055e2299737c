import { GeneratedPage, Sequence } from '@tandem/campaign-contract';
import { shareOf } from '@tandem/evaluation';
import { pageErrors, sequenceErrors } from '../src/features/ai/checks.ts';
import type { HtmlCleaner } from '../src/features/landing-pages/html-cleaner.ts';
import { syntaxErrors } from '../src/features/templates/render.ts';
import { type Brief, EmailText } from './brief.ts';
import { cases } from './cases.ts';
import { type CheckName, type Counted, checks } from './checks.ts';
import type { Generated, Generator } from './generator.ts';
import { partsOf } from './parts.ts';

export type ScoredCheck = 'valid' | CheckName;

/** The scores of one output from 0 to 1, by check, and what is wrong with it. */
export interface OutputScore {
  scores: Partial<Record<ScoredCheck, number>>;
  wrong: Partial<Record<ScoredCheck, string[]>>;
}

/** The scores of all cases. */
export interface Score {
  /** The mean of the scores of the cases, each of which is the mean of its checks. */
  total: number;
  /** The mean of each check over the cases to which it applies. */
  checks: Record<string, number>;
  /** How many outputs are from a template, because there is no model or its answers were refused. */
  fromTemplates: number;
  failed: { about: string; check: string; score: number; wrong: string[] }[];
}

// A long list of faults says no more than its beginning.
const wrongShownMax = 3;
const wrongLengthMax = 120;

/** Scores the outputs of a generator for all cases. */
export async function scoreGenerator(generate: Generator, cleaner: HtmlCleaner): Promise<Score> {
  const all: { about: string; source: Generated['source']; score: OutputScore }[] = [];
  for (const brief of cases) {
    const { output, source } = await generate(brief);
    all.push({ about: brief.about, source, score: await scoreOutput(brief, output, cleaner) });
  }
  const byCheck = Map.groupBy(
    all.flatMap(({ score }) => Object.entries(score.scores)),
    ([check]) => check,
  );
  return {
    total: meanOf(all.map(({ score }) => meanOf(Object.values(score.scores)))),
    checks: Object.fromEntries([...byCheck].map(([check, some]) => [check, meanOf(some.map(([, value]) => value))])),
    fromTemplates: all.filter(({ source }) => source === 'template').length,
    failed: all.flatMap(({ about, score: { scores, wrong } }) =>
      Object.entries(wrong).map(([check, faults]) => ({
        ...{ about, check, score: scores[check as ScoredCheck] as number },
        wrong: faults.slice(0, wrongShownMax).map((fault) => fault.slice(0, wrongLengthMax)),
      })),
    ),
  };
}

/** Scores one output. An output without words passes no check but its validity: there is nothing to be right. */
export async function scoreOutput(brief: Brief, output: unknown, cleaner: HtmlCleaner): Promise<OutputScore> {
  const parts = partsOf(brief, await withCleanedContent(output, cleaner));
  const isEmpty = !parts.lines.some((line) => /\p{L}{2}/u.test(line));
  const errors = await errorsOf(brief, output, cleaner);
  const result: OutputScore = {
    scores: { valid: errors.length ? 0 : 1 },
    wrong: errors.length ? { valid: errors } : {},
  };
  for (const [name, check] of Object.entries(checks) as [CheckName, (typeof checks)[CheckName]][]) {
    const counted: Counted | undefined = check(brief, parts);
    if (!counted) continue;
    const { all, wrong } = isEmpty ? { all: 1, wrong: ['the output has no words'] } : counted;
    result.scores[name] = shareOf(all - wrong.length, all);
    if (wrong.length) result.wrong[name] = wrong;
  }
  return result;
}

/** The output with content as the service stores it, which is no deeper than the checks can read. */
async function withCleanedContent(output: unknown, cleaner: HtmlCleaner): Promise<unknown> {
  if (output === null || typeof output !== 'object' || !('content' in output)) return output;
  if (typeof output.content !== 'string') return output;
  const cleaned = await cleaner.clean(output.content, undefined);
  return { ...output, content: 'error' in cleaned ? '' : cleaned.html };
}

/** The faults for which the service would refuse the output as a workflow, a page or a template. */
async function errorsOf({ kind }: Brief, output: unknown, cleaner: HtmlCleaner): Promise<string[]> {
  if (kind === 'text') {
    if (typeof output !== 'string') return ['must be a text'];
    return syntaxErrors({ text: output }).map(({ message }) => message);
  }
  const schema = { sequence: Sequence, page: GeneratedPage, email: EmailText }[kind];
  const parsed = schema.safeParse(output);
  if (!parsed.success) return parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  if (kind === 'sequence') return sequenceErrors(Sequence.parse(output));
  if (kind === 'page') return pageErrors(GeneratedPage.parse(output), cleaner, undefined);
  return syntaxErrors(EmailText.parse(output)).map(({ field, message }) => `${field}: ${message}`);
}

function meanOf(values: readonly number[]): number {
  return shareOf(
    values.reduce((sum, value) => sum + value, 0),
    values.length,
  );
}
