import { type KeyboardEvent, useState } from 'react';
import type { DayUsage } from '@/api/schema';
import { t } from '@/i18n';
import { calendarDate } from '@/i18n/time';
import { cost } from './cost';
import { roundUp } from './spend';

const WIDTH = 700;
const HEIGHT = 180;
const GAP = 0.25;

/** The day that a key leads to, or undefined for other keys. */
function dayAfter(key: string, at: number, last: number): number | undefined {
  const forward = document.documentElement.dir === 'rtl' ? 'ArrowLeft' : 'ArrowRight';
  const back = forward === 'ArrowLeft' ? 'ArrowRight' : 'ArrowLeft';
  const moves: Record<string, number> = {
    [forward]: at + 1,
    [back]: at - 1,
    ArrowUp: at + 1,
    ArrowDown: at - 1,
    PageUp: at + 7,
    PageDown: at - 7,
    Home: 0,
    End: last,
  };
  const to = moves[key];
  return to === undefined ? undefined : Math.min(Math.max(to, 0), last);
}

/** A bar for each day. It is one Tab stop: the arrow keys lead from day to day, and each is read out. */
export function DayPlot({ days }: { days: readonly DayUsage[] }) {
  const [chosen, setChosen] = useState<number | null>(null);
  const last = days.length - 1;
  const at = Math.min(chosen ?? last, last);
  const day = days[at];
  const top = roundUp(Math.max(...days.map(({ spent_usd: spent }) => spent)));
  const slot = WIDTH / days.length;
  const textOf = ({ date, spent_usd: spent, calls }: DayUsage) =>
    t('spend.dayText', { date: calendarDate(date), cost: cost(spent), calls });
  const onKeyDown = (event: KeyboardEvent) => {
    const to = dayAfter(event.key, at, last);
    if (to === undefined) return;
    event.preventDefault();
    setChosen(to);
  };
  return (
    <div>
      <div
        role="slider"
        tabIndex={0}
        aria-label={t('spend.byDay')}
        aria-orientation="horizontal"
        aria-valuemin={1}
        aria-valuemax={days.length}
        aria-valuenow={at + 1}
        aria-valuetext={day && textOf(day)}
        onKeyDown={onKeyDown}
        className="rounded-lg"
      >
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT + 4}`}
          preserveAspectRatio="none"
          className="block h-44 w-full"
          aria-hidden
        >
          {[0, 0.5, 1].map((part) => (
            <line
              key={part}
              x1={0}
              x2={WIDTH}
              y1={2 + HEIGHT * part}
              y2={2 + HEIGHT * part}
              className="stroke-line"
              vectorEffect="non-scaling-stroke"
            />
          ))}
          {days.map(({ date, spent_usd: spent }, index) => {
            const height = Math.max((spent / top) * HEIGHT, spent > 0 ? 2 : 0);
            return (
              // biome-ignore lint/a11y/noStaticElementInteractions: the keys are the slider's
              <g key={date} onMouseEnter={() => setChosen(index)} onClick={() => setChosen(index)}>
                <rect x={index * slot} y={0} width={slot} height={HEIGHT + 2} className="fill-transparent" />
                <rect
                  x={(index + GAP / 2) * slot}
                  y={2 + HEIGHT - height}
                  width={slot * (1 - GAP)}
                  height={height}
                  className={index === at ? 'fill-accent-strong' : 'fill-accent opacity-70'}
                />
              </g>
            );
          })}
        </svg>
      </div>
      <div className="mt-1 flex justify-between gap-2 text-sm text-ink-soft" aria-hidden>
        <span>{days[0] && calendarDate(days[0].date)}</span>
        <span>{t('spend.top', { cost: cost(top) })}</span>
        <span>{days[last] && calendarDate(days[last].date)}</span>
      </div>
      <p className="mt-2 font-medium tabular-nums" aria-hidden>
        {day && textOf(day)}
      </p>
    </div>
  );
}
