const intervalMs = 1;

// Processor time of the reference work on an idle core of the machine that CI runs on.
const referenceMs = 16;

/**
 * Processor time, in milliseconds, of the longest turn of this process's event loop while `work` runs; the shortest of
 * several tries. Processor time, because a busy machine stretches every other clock, and the shortest, because a first
 * try also compiles the code. Beside a busy neighbour a core needs up to three times as much processor time for the same
 * work; reference work before and after each try measures this factor, and the result is divided by it.
 */
export async function longestTurn(work: () => Promise<unknown>, tries = 4): Promise<number> {
  let shortest = Number.POSITIVE_INFINITY;
  let before = slowness();
  for (let done = 0; done < tries; done++) {
    const longest = await measure(work);
    const after = slowness();
    shortest = Math.min(shortest, longest / ((before + after) / 2));
    before = after;
  }
  return shortest;
}

async function measure(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let before = threadMs();
  const look = () => {
    const now = threadMs();
    longest = Math.max(longest, now - before);
    before = now;
  };
  const timer = setInterval(look, intervalMs);
  try {
    await work();
    look();
  } finally {
    clearInterval(timer);
  }
  return longest;
}

const referenceText = JSON.stringify(
  Array.from({ length: 4_000 }, (_, n) => ({ id: `${n}`, list: [n, {}, 'a"b'], text: 'x'.repeat(20) })),
);

/** How many times longer this core needs now than when it is idle; at least 1. */
function slowness(): number {
  const before = threadMs();
  for (let run = 0; run < 3; run++) referenceWork();
  return Math.max(1, (threadMs() - before) / referenceMs);
}

/** Looks at each character of a text, and reads and writes it as JSON: what large inputs cost in Tandem. */
function referenceWork(): number {
  let quotes = 0;
  for (let at = 0; at < referenceText.length; at++) if (referenceText.charCodeAt(at) === 0x22) quotes++;
  return quotes + JSON.stringify(JSON.parse(referenceText)).length;
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
