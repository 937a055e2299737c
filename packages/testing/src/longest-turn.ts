const intervalMs = 1;

// CPU time of the reference work on an idle core of the CI machine.
const referenceMs = 16;

/**
 * CPU time, in milliseconds, of the longest event loop iteration of this process while `work` runs; the minimum of
 * several tries. CPU time, because wall time grows on a busy machine; the minimum, because the first try also compiles
 * the code. Next to a busy neighbour a core needs up to three times the CPU time for the same work; reference work
 * before and after each try measures this factor, and the result is divided by it.
 */
export async function longestTurn(work: () => Promise<unknown>, tries = 4): Promise<number> {
  let shortest = Number.POSITIVE_INFINITY;
  let before = slowness();
  for (let attempt = 0; attempt < tries; attempt++) {
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
  const sample = () => {
    const now = threadMs();
    longest = Math.max(longest, now - before);
    before = now;
  };
  const timer = setInterval(sample, intervalMs);
  try {
    await work();
    sample();
  } finally {
    clearInterval(timer);
  }
  return longest;
}

const referenceText = JSON.stringify(
  Array.from({ length: 4_000 }, (_, n) => ({ id: `${n}`, list: [n, {}, 'a"b'], text: 'x'.repeat(20) })),
);

/** How many times slower this core is now than when idle; at least 1. */
function slowness(): number {
  const before = threadMs();
  for (let run = 0; run < 3; run++) referenceWork();
  return Math.max(1, (threadMs() - before) / referenceMs);
}

/** Scans each character of a text, and parses and serializes it as JSON: the typical cost of large inputs in Tandem. */
function referenceWork(): number {
  let quotes = 0;
  for (let at = 0; at < referenceText.length; at++) if (referenceText.charCodeAt(at) === 0x22) quotes++;
  return quotes + JSON.stringify(JSON.parse(referenceText)).length;
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
