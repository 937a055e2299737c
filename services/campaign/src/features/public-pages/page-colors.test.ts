import { colord } from 'colord';
import fc from 'fast-check';
import { pageColors } from './page-colors.ts';
import { fontOf } from './page-style.ts';

const hex = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`);

it('every text can be read on what is behind it, whatever colours the customer chose', () => {
  fc.assert(
    fc.property(hex, hex, (primaryColor, backgroundColor) => {
      const colors = pageColors({ primaryColor, backgroundColor });
      const { background, tint, text, soft, accent, onAccent, error } = colors;
      for (const front of [text, soft, accent, error])
        for (const behind of [background, tint])
          expect([front, behind, colord(front).contrast(behind) >= 4.5]).toEqual([front, behind, true]);
      expect(colord(onAccent).contrast(accent)).toBeGreaterThanOrEqual(4.5);
      expect(colord(colors.line).contrast(background)).toBeGreaterThanOrEqual(1.5);
    }),
    { numRuns: 500 },
  );
});

it.each([
  ['#1d4ed8', '#ffffff', '#1d4ed8', '#ffffff'],
  ['navy', 'white', '#000080', '#ffffff'],
  ['rgb(29 78 216)', 'hsl(0 0% 100%)', '#1d4ed8', '#ffffff'],
  ['no-colour', 'inherit', '#1d4ed8', '#ffffff'],
  ['#1d4ed8', '#00000000', '#1d4ed8', '#ffffff'],
])('keeps %s on %s, because it can be read', (primaryColor, backgroundColor, accent, background) => {
  expect(pageColors({ primaryColor, backgroundColor })).toMatchObject({ accent, background });
});

it('makes a colour that cannot be read darker on a light background, and lighter on a dark one', () => {
  expect(colord(pageColors({ primaryColor: 'yellow', backgroundColor: 'white' }).accent).isDark()).toBe(true);
  expect(colord(pageColors({ primaryColor: 'navy', backgroundColor: 'black' }).accent).brightness()).toBeGreaterThan(
    0.3,
  );
});

it.each([
  ['Inter, Arial, sans-serif', 'system-ui'],
  ['Georgia, Times, serif', 'Iowan'],
  ["'Open Sans', serif", 'system-ui'],
  ['Nunito, Verdana, sans-serif', 'ui-rounded'],
  ['JetBrains Mono', 'ui-monospace'],
  [undefined, 'system-ui'],
])('uses fonts of the device for %s', (family, expected) => {
  expect(fontOf(family)).toContain(expected);
});
