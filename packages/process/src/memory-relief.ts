import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const everyMs = 25;
const left = 16 * 1024 * 1024;

let passing = 0;
let timer: NodeJS.Timeout | undefined;
let collect: (options: { type: 'minor' }) => void;

/**
 * Keeps memory flat while a large body passes through the process. Each read leaves a buffer behind, and V8 counts 64 MB of
 * them before it collects anything; meanwhile this asks for a small collection (a millisecond) for every 16 MB.
 * @returns what ends it, once the body has passed
 */
export function relieveMemory(): () => void {
  if (++passing === 1) begin();
  let isOver = false;
  return () => {
    if (isOver) return;
    isOver = true;
    if (--passing === 0) clearInterval(timer);
  };
}

function begin(): void {
  if (!collect) {
    // Without a flag on the command line, which every way of starting a process would have to know.
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc');
  }
  let before = process.memoryUsage().external;
  timer = setInterval(() => {
    const { external } = process.memoryUsage();
    if (external - before > left) {
      collect({ type: 'minor' });
      before = Math.min(before, process.memoryUsage().external);
    }
  }, everyMs).unref();
}
