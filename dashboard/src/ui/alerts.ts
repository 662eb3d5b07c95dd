/** Brings an error into view when it appears, and leads the focus to the field that it is about. */
export function showAlerts(container: HTMLElement): () => void {
  const observer = new MutationObserver((changes) => {
    const added = changes
      .flatMap(({ addedNodes }) => [...addedNodes])
      .filter((node) => node instanceof Element);
    const hasAlert = (node: Element) =>
      node.matches('[role="alert"]') || node.querySelector('[role="alert"]');
    if (!added.some(hasAlert)) return;
    // The first of several, in the order of the form.
    const first = container.querySelector('[role="alert"]');
    const field = container.querySelector<HTMLElement>('[aria-invalid="true"]');
    field?.focus({ preventScroll: true });
    first?.scrollIntoView({ block: 'center' });
  });
  observer.observe(container, { childList: true, subtree: true });
  return () => observer.disconnect();
}
