// `npm run bench [-- fleet operations upload mail campaigns clicks gateway api-log connections imports size search-size files-size training-size partner-size analytics-size]`: measures the named parts (default:
// all), prints a table, and writes results.md. `npm run bench -- operations convertLead winOpportunity` measures only those operations.
import { join } from 'node:path';
import { claimFolder } from '../local/claim.ts';
import { CommandError } from '../local/command-error.ts';
import { interrupts } from '../local/interrupts.ts';
import { localDir } from '../local/paths.ts';
import { complain, prepareTerminal, progress } from '../local/terminal.ts';
import { measureApiLog } from './api-log.ts';
import { measureCampaigns } from './campaigns.ts';
import { measureClicks } from './clicks.ts';
import { measureConnections } from './connections.ts';
import { measureFleet } from './fleet.ts';
import { importMembers, measureImports } from './imports.ts';
import { measureMail } from './mail.ts';
import type { Memory } from './memory.ts';
import { measureOperations } from './operations.ts';
import { peerPrograms } from './packages.ts';
import { measurePeers } from './peers.ts';
import { openPlace, type Place } from './place.ts';
import { describeReference } from './reference.ts';
import { formatTable, notMeasured, type Row, writeResults } from './results.ts';
import { measureSearchSize } from './search-size.ts';
import { measureAnalytics } from './size/analytics.ts';
import { measureFilesSize } from './size/files.ts';
import { measureSize } from './size/index.ts';
import { measurePartner } from './size/partner.ts';
import { measureTraining } from './size/training.ts';
import { measureUpload } from './upload.ts';

const parts = [
  'fleet',
  'operations',
  'upload',
  'mail',
  'campaigns',
  'clicks',
  'gateway',
  'api-log',
  'connections',
  'imports',
  'size',
  'search-size',
  'files-size',
  'training-size',
  'partner-size',
  'analytics-size',
];

prepareTerminal();
const interrupted = interrupts();
process.exitCode = await main(process.argv.slice(2)).catch((error) => {
  if (interrupted.aborted) return 130;
  complain(error);
  return 1;
});
process.exit();

async function main(only: string[]): Promise<number> {
  const dir = join(localDir, 'bench');
  const claim = await claimFolder(dir);
  if (!claim) throw new CommandError('A benchmark is already running: wait until it has finished.');
  try {
    const programs = await peerPrograms(dir, progress);
    if (typeof programs === 'string') {
      progress(programs);
      writeResults({ rows: [notMeasured('gateway', 'Gateway and fleet', '', programs)], memory: [] });
      return 1;
    }
    const place = await openPlace({ dir, programs, log: progress, signal: interrupted });
    try {
      const measured = await orInterrupted(measure(place, only));
      process.stdout.write(`\n${formatTable(measured.rows)}\n\n${describeReference()}\n`);
      if (!only.length) writeResults(measured);
      return 0;
    } finally {
      await place.close();
    }
  } finally {
    claim.release();
  }
}

async function measure(place: Place, only: string[]): Promise<{ rows: Row[]; memory: Memory[] }> {
  const wanted = (part: string) => !only.length || only.includes(part);
  const fleet = wanted('fleet') ? await measureFleet(place) : { rows: [], memory: [] };
  const named = only.filter((name) => !parts.includes(name));
  const calls = wanted('operations') ? await fresh(place, (one) => measureOperations(one, named)) : [];
  const upload = wanted('upload') ? await fresh(place, measureUpload) : [];
  const mail = wanted('mail') ? await fresh(place, measureMail) : [];
  const campaigns = wanted('campaigns') ? await fresh(place, measureCampaigns) : [];
  const clicks = wanted('clicks') ? await fresh(place, measureClicks) : [];
  const peers = wanted('gateway') ? await fresh(place, measurePeers) : [];
  const apiLog = wanted('api-log') ? await fresh(place, measureApiLog) : [];
  const connections = wanted('connections') ? await fresh(place, measureConnections) : [];
  // The size part measures an import too.
  const imports = only.includes('imports') ? await fresh(place, measureImportsAlone) : [];
  const atSize = wanted('size') ? await fresh(place, measureSize) : [];
  const searches = wanted('search-size') ? await fresh(place, measureSearchSize) : [];
  const files = wanted('files-size') ? await fresh(place, measureFilesSize) : [];
  const training = wanted('training-size') ? await fresh(place, measureTraining) : [];
  const partner = wanted('partner-size') ? await fresh(place, measurePartner) : [];
  const analytics = wanted('analytics-size') ? await fresh(place, measureAnalytics) : [];
  return {
    rows: [
      ...peers,
      ...apiLog,
      ...connections,
      ...fleet.rows,
      ...upload,
      ...mail,
      ...campaigns,
      ...clicks,
      ...calls,
      ...imports,
      ...atSize,
      ...searches,
      ...files,
      ...training,
      ...partner,
      ...analytics,
    ],
    memory: fleet.memory,
  };
}

async function measureImportsAlone(place: Place): Promise<Row[]> {
  await Promise.all(importMembers.map((name) => place.startMember(name)));
  return measureImports(place);
}

/** Stops all processes before a part, which starts the members it needs. */
async function fresh(place: Place, part: (place: Place) => Promise<Row[]>): Promise<Row[]> {
  await place.processes.stopAll();
  return part(place);
}

function orInterrupted<T>(work: Promise<T>): Promise<T> {
  return Promise.race([
    work,
    new Promise<never>((_, reject) =>
      interrupted.addEventListener('abort', () => reject(new Error('interrupted')), { once: true }),
    ),
  ]);
}
