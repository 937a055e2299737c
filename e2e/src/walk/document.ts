/** One request of the walkthrough page. */
export interface Step {
  title: string;
  /** The shell command. */
  command: string;
  status: number;
  /** The expected response with placeholders; a string if the response is not JSON. */
  expected: unknown;
  headers: { name: string; value: string }[];
  /** Values of the response that later steps use: variable → path in the response. */
  kept: { variable: string; path: string }[];
  /** Whether the response matches only after some time, so that the request is repeated. */
  isAwaited: boolean;
  /** Position of the expected response in the page. */
  span: [from: number, to: number];
}

const section = /^### (.+)\n([\s\S]*?)(?=^#{1,3} |$(?![\s\S]))/gm;
const commandBlock = /```sh\n([\s\S]*?)```/;
const answerBlock = /```(json|text) (\d{3})\n([\s\S]*?)```/;

/**
 * Parses the walkthrough page: each third-level heading with a command and its response is a step.
 * @throws if a step has no command or no response
 */
export function readWalk(page: string): Step[] {
  return [...page.matchAll(section)].map(([, title = '', text = ''], index, all) => {
    const offset = (all[index]?.index as number) + `### ${title}\n`.length;
    const command = commandBlock.exec(text)?.[1];
    const answer = answerBlock.exec(text);
    if (!command || !answer) throw new Error(`The step "${title}" has no command or no response`);
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
