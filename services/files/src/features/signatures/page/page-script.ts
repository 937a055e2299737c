/**
 * The script of the page to sign: the field to draw a signature. Without it, the form works with a typed name. Strokes are
 * sent as a path in a box of 1000 by 300.
 */
export const signingScript = `
const form = document.querySelector('form[data-sign]');
const frame = document.querySelector('iframe');
if (navigator.pdfViewerEnabled !== false && frame && matchMedia('(min-width: 60rem)').matches) {
  frame.src = frame.dataset.src;
  frame.parentElement.classList.add('shows-pdf');
}
const canvas = form && form.querySelector('canvas');
if (canvas) {
  const choice = form.querySelector('[data-choice]');
  const typed = form.querySelector('[data-typed]');
  const drawn = form.querySelector('[data-drawn]');
  const output = form.querySelector('input[name=drawing]');
  const name = form.querySelector('input[name=typed]');
  const context = canvas.getContext('2d');
  const max = 4000;
  let strokes = [];
  let points = 0;
  let current;
  choice.hidden = false;
  const show = () => {
    const isDrawn = form.elements.signature.value === 'drawn';
    typed.hidden = isDrawn;
    drawn.hidden = !isDrawn;
    name.required = !isDrawn;
  };
  const paint = () => {
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.lineWidth = 8;
    context.lineCap = 'round';
    context.lineJoin = 'round';
    context.strokeStyle = '#14215c';
    for (const stroke of strokes) {
      context.beginPath();
      stroke.forEach(([x, y], index) => (index ? context.lineTo(x, y) : context.moveTo(x, y)));
      context.stroke();
    }
    output.value = strokes.filter((stroke) => stroke.length > 1)
      .map((stroke) => stroke.map(([x, y], index) => (index ? 'L' : 'M') + x + ' ' + y).join('')).join('');
  };
  const at = (event) => {
    const box = canvas.getBoundingClientRect();
    const to = (value, size, whole) => Math.max(0, Math.min(whole, Math.round((value / size) * whole)));
    return [to(event.clientX - box.left, box.width, 1000), to(event.clientY - box.top, box.height, 300)];
  };
  canvas.addEventListener('pointerdown', (event) => {
    event.preventDefault();
    canvas.setPointerCapture(event.pointerId);
    form.querySelector('[data-missing]').hidden = true;
    current = [at(event)];
    strokes.push(current);
  });
  canvas.addEventListener('pointermove', (event) => {
    if (!current || points > max) return;
    const [x, y] = at(event);
    const [lastX, lastY] = current[current.length - 1];
    if (Math.abs(x - lastX) + Math.abs(y - lastY) < 4) return;
    current.push([x, y]);
    points++;
    paint();
  });
  for (const type of ['pointerup', 'pointercancel']) canvas.addEventListener(type, () => { current = undefined; });
  form.querySelector('[data-clear]').addEventListener('click', () => { strokes = []; points = 0; paint(); });
  for (const radio of form.querySelectorAll('[name=signature]')) radio.addEventListener('change', show);
  form.addEventListener('submit', (event) => {
    if (form.elements.signature.value !== 'drawn' || output.value) return;
    event.preventDefault();
    const place = form.querySelector('[data-missing]');
    place.hidden = false;
    canvas.focus();
  });
  show();
}
`;
