/** One request of the walk as its page describes it. */
export interface Step {
  title: string;
  /** The command, for a shell. */
  command: string;
  status: number;
  /** What the answer must be, with placeholders; a text when the answer is not JSON. */
  expected: unknown;
  headers: { name: string; value: string }[];
  /** What later steps need of the answer: variable → path in it. */
  kept: { variable: string; path: string }[];
  /** Whether the answer comes to be this only after a moment. */
  isAwaited: boolean;
  /** Where its expectation stands in the page. */
  span: [from: number, to: number];
}

const section = /^### (.+)\n([\s\S]*?)(?=^#{1,3} |$(?![\s\S]))/gm;
const commandBlock = /```sh\n([\s\S]*?)```/;
const answerBlock = /```(json|text) (\d{3})\n([\s\S]*?)```/;

/**
 * Reads the walk from its page: each third-level heading with a command and the answer to it is a step.
 * @throws when a step has no command or no answer
 */
export function readWalk(page: string): Step[] {
  return [...page.matchAll(section)].map(([, title = '', text = ''], index, all) => {
    const offset = (all[index]?.index as number) + `### ${title}\n`.length;
    const command = commandBlock.exec(text)?.[1];
    const answer = answerBlock.exec(text);
    if (!command || !answer) throw new Error(`The step "${title}" lacks a command or the answer to it`);
    const [block, kind, status, body = ''] = answer;
    return {
      title,
      command,
      status: Number(status),
      expected: kind === 'json' ? JSON.parse(body || 'null') : body.trimEnd(),
      headers: [...text.matchAll(/header `([\w-]+): ([^`]+)`/g)].map(([, name = '', value = '']) => ({ name, value })),
      kept: [...text.matchAll(/`([A-Z_]+)` is `([\w.]+)`/g)].map(([, variable = '', path = '']) => ({
        variable,
        path,
      })),
      isAwaited: text.includes('after a moment'),
      span: [offset + answer.index, offset + answer.index + block.length],
    };
  });
}
