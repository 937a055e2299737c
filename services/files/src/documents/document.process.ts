// The tasks that read documents and pictures, in a process of their own: their memory is outside of the JavaScript heap,
// and their parsers handle whatever customers upload.
import { readFile } from 'node:fs/promises';
import { serveTasks } from '@tandem/workers/serve';
import { DocumentError, type DocumentFault, type PageText, type Preview } from './document.ts';
import { linesOf, pageOf } from './lines.ts';
import { drawPage, openPdf, textOfPage } from './pdf.ts';
import { previewsOf, recognizable } from './picture.ts';
import { type Language, recognizeWords } from './recognition.ts';

/** A file on the disk of this process, and how to read it. */
export interface Source {
  path: string;
  kind: 'pdf' | 'picture';
}

/** The result of a task, or what is wrong with the file. */
export type Outcome<T> = { value: T; fault?: never } | { fault: DocumentFault };

const previewDpi = 150;
const recognitionDpi = 200;
const drawnPixelsMax = 12_000_000;

const tasks = {
  /** The number of pages of a document, and the text of those that it has. */
  readText: (input: { path: string; pages: number[] }) =>
    outcome(async () =>
      openPdf(new Uint8Array(await readFile(input.path)), async (pdf) => {
        const pages: PageText[] = [];
        for (const number of input.pages) if (number <= pdf.numPages) pages.push(await textOfPage(pdf, number));
        return { pagesCount: pdf.numPages, pages };
      }),
    ),

  /** Pictures of the first page that fit into squares of these sides. */
  makePreviews: ({ path, kind, sides }: Source & { sides: number[] }): Promise<Outcome<Preview[]>> =>
    outcome(async () => {
      if (kind === 'picture') return previewsOf(path, sides);
      const drawn = await openPdf(new Uint8Array(await readFile(path)), (pdf) =>
        drawPage(pdf, 1, { dpi: previewDpi, pixelsMax: drawnPixelsMax }),
      );
      return previewsOf(drawn.png, sides);
    }),

  /** Recognizes the text of a picture, or of a page of a document that is a scan. */
  recognize: ({ path, kind, page, languages }: Source & { page: number; languages: Language[] }) =>
    outcome(async () => {
      if (kind === 'picture') {
        const { png, width, height } = await recognizable(path);
        return pageOf({ number: page, width, height }, linesOf(await recognizeWords(png, languages)));
      }
      const { png, width, height, scale } = await openPdf(new Uint8Array(await readFile(path)), (pdf) =>
        drawPage(pdf, page, { dpi: recognitionDpi, pixelsMax: drawnPixelsMax }),
      );
      const points = (pixels: number) => pixels / scale;
      const words = (await recognizeWords(png, languages)).map(({ box, ...word }) => {
        const [left, top, right, bottom] = box;
        return { ...word, box: [points(left), points(top), points(right), points(bottom)] as const };
      });
      return pageOf({ number: page, width: points(width), height: points(height) }, linesOf(words));
    }),
};

export type DocumentTasks = typeof tasks;

/** Faults of the file are results, because an error loses its class between processes. */
async function outcome<T>(work: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return { value: await work() };
  } catch (error) {
    if (error instanceof DocumentError) return { fault: error.fault };
    throw error;
  }
}

serveTasks(tasks);
