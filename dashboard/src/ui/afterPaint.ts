/**
 * Does a task once the browser has drawn what was just rendered: a request costs the page a few milliseconds, which the
 * member should not wait for. Returns what cancels it.
 */
export function afterPaint(task: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  // A hidden page draws no frames.
  if (document.hidden) {
    timer = setTimeout(task);
    return () => clearTimeout(timer);
  }
  const frame = requestAnimationFrame(() => {
    timer = setTimeout(task);
  });
  return () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
}
