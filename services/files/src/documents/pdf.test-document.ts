// Documents for tests, written by hand so that they can be wrong in a certain way.

interface Parts {
  /** More entries of the catalog, the pages object, the box of the page, and more entries of the trailer. */
  catalog?: string;
  pages?: string;
  box?: string;
  trailer?: string;
  content?: string | Buffer;
  filter?: string;
}

/** A PDF with one page. */
export function aPdf({
  catalog = '',
  pages,
  box = '[0 0 595 842]',
  trailer = '',
  content = '',
  filter = '',
}: Parts = {}) {
  const bytes = Buffer.from(content);
  const page = (contents: string) =>
    `<< /Type /Page /Parent 2 0 R /MediaBox ${box} /Contents ${contents} /Resources << /Font << /F1 5 0 R >> >> >>`;
  return assemble(
    [
      `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
      pages ?? '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      page('4 0 R'),
      Buffer.concat([
        Buffer.from(`<< /Length ${bytes.length} ${filter} >>\nstream\n`),
        bytes,
        Buffer.from('\nendstream'),
      ]),
      '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ],
    trailer,
  );
}

/** A PDF with texts at places on its pages; `y` is from the bottom. */
export function pdfOf(pages: { text: string; x: number; y: number; size?: number }[][]): Buffer {
  const pageNumber = (index: number) => 4 + index * 2;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${pages.map((_, index) => `${pageNumber(index)} 0 R`).join(' ')}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...pages.flatMap((texts, index) => {
      const content = texts
        .map(
          ({ text, x, y, size = 14 }) => `BT /F1 ${size} Tf ${x} ${y} Td (${text.replace(/([()\\])/g, '\\$1')}) Tj ET`,
        )
        .join('\n');
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents ${pageNumber(index) + 1} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      ];
    }),
  ];
  return assemble(objects, '');
}

function assemble(objects: (string | Buffer)[], trailer: string): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n')];
  const offsets: number[] = [];
  const length = () => parts.reduce((sum, part) => sum + part.length, 0);
  for (const [index, object] of objects.entries()) {
    offsets.push(length());
    parts.push(Buffer.from(`${index + 1} 0 obj\n`), Buffer.from(object as string), Buffer.from('\nendobj\n'));
  }
  const start = length();
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  parts.push(
    Buffer.from(
      `xref\n0 ${size}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${size} /Root 1 0 R ${trailer} >>\nstartxref\n${start}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(parts);
}
