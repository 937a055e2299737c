import { type Colord, colord, extend } from 'colord';
import a11yPlugin from 'colord/plugins/a11y';
import mixPlugin from 'colord/plugins/mix';
import namesPlugin from 'colord/plugins/names';

extend([a11yPlugin, mixPlugin, namesPlugin]);

/** The colours of a page; every text has a contrast of at least 4.5 to what is behind it (WCAG 2.2, AA). */
export interface PageColors {
  background: string;
  /** The background of parts that stand out a little. */
  tint: string;
  text: string;
  /** Texts of less importance. */
  soft: string;
  line: string;
  /** Headings, links and buttons. */
  accent: string;
  onAccent: string;
  error: string;
  isDark: boolean;
}

const contrastMin = 4.5;
const defaults = { primary: '#1d4ed8', background: '#ffffff' };
const [ink, paper] = [colord('#15181f'), colord('#ffffff')];
const steps = 20;

/**
 * The colours of a page by the two that a customer chose. A colour that could not be read on the background becomes
 * darker or lighter until it can.
 */
export function pageColors({
  primaryColor,
  backgroundColor,
}: {
  primaryColor?: string | undefined;
  backgroundColor?: string | undefined;
}): PageColors {
  const background = displayed(opaque(backgroundColor, defaults.background));
  const text = textOn(background);
  const towardsText = displayed(background.mix(text, 0.05));
  const tint = text.contrast(towardsText) >= contrastMin ? towardsText : displayed(background.mix(text.invert(), 0.05));
  // Readable on the tint too, which has less contrast to the text.
  const behind = [background, tint];
  const accent = readable(opaque(primaryColor, defaults.primary), behind, text);
  return {
    background: background.toHex(),
    tint: tint.toHex(),
    text: readable(text, behind, text).toHex(),
    soft: readable(background.mix(text, 0.65), behind, text).toHex(),
    line: background.mix(text, 0.55).toHex(),
    accent: accent.toHex(),
    onAccent: textOn(accent).toHex(),
    error: readable(colord('#c62828'), behind, text).toHex(),
    isDark: background.isDark(),
  };
}

/** A CSS colour without transparency; the other one if a browser could not read it. */
function opaque(css: string | undefined, otherwise: string): Colord {
  const color = colord(css ?? '');
  if (!color.isValid()) return colord(otherwise);
  return paper.mix(color.alpha(1), color.alpha());
}

/** The colour as the page has it: rounding can lower its contrast. */
function displayed(color: Colord): Colord {
  return colord(color.toHex());
}

/** White or nearly black, whichever can be read better; black where nearly black is not enough. */
function textOn(behind: Colord): Colord {
  const [onDark, onLight] = [paper.contrast(behind), ink.contrast(behind)];
  if (onDark > onLight && onDark >= contrastMin) return paper;
  if (onLight >= contrastMin) return ink;
  return colord('#000000');
}

/** The colour, mixed with the text colour as little as it takes. */
function readable(color: Colord, behind: readonly Colord[], text: Colord): Colord {
  const extreme = text.isDark() ? colord('#000000') : paper;
  for (let step = 0; step < steps; step++) {
    const mixed = displayed(step ? color.mix(extreme, step / steps) : color);
    if (behind.every((one) => mixed.contrast(one) >= contrastMin)) return mixed;
  }
  return extreme;
}
