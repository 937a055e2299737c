import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createWorker, OEM, type Worker } from 'tesseract.js';
import type { Piece } from './lines.ts';

const require = createRequire(import.meta.url);
const languageFiles = {
  eng: () => require.resolve('@tesseract.js-data/eng/package.json'),
  deu: () => require.resolve('@tesseract.js-data/deu/package.json'),
  fra: () => require.resolve('@tesseract.js-data/fra/package.json'),
  spa: () => require.resolve('@tesseract.js-data/spa/package.json'),
};

export type Language = keyof typeof languageFiles;

let loaded: { languages: string; worker: Promise<Worker> } | undefined;

/** Recognizes the words of a picture. The models of the last languages stay loaded. */
export async function recognizeWords(png: Buffer, languages: readonly Language[]): Promise<Piece[]> {
  const worker = await workerFor(languages);
  const { data } = await worker.recognize(png, {}, { text: false, blocks: true });
  const lines = (data.blocks ?? []).flatMap(({ paragraphs }) => paragraphs.flatMap((one) => one.lines));
  return lines.flatMap(({ words, bbox: line }) =>
    words.map(({ text, confidence, bbox }) => ({
      text,
      confidence: confidence / 100,
      // The height of the line, because words without tall letters are lower.
      box: [bbox.x0, line.y0, bbox.x1, line.y1] as const,
    })),
  );
}

async function workerFor(languages: readonly Language[]): Promise<Worker> {
  const key = languages.join('+');
  if (loaded?.languages !== key) {
    await loaded?.worker.then((worker) => worker.terminate());
    loaded = { languages: key, worker: load(languages) };
  }
  const { worker } = loaded;
  return worker.catch((error: unknown) => {
    // The next picture tries again.
    if (loaded?.worker === worker) loaded = undefined;
    throw error;
  });
}

async function load(languages: readonly Language[]): Promise<Worker> {
  // Each language has its own package; the library reads all of them from one folder, once.
  const folder = mkdtempSync(join(tmpdir(), 'ocr-'));
  try {
    for (const code of languages) {
      const file = `${code}.traineddata.gz`;
      symlinkSync(join(dirname(languageFiles[code]()), '4.0.0_best_int', file), join(folder, file));
    }
    return await createWorker([...languages], OEM.LSTM_ONLY, { langPath: folder, gzip: true, cacheMethod: 'none' });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
