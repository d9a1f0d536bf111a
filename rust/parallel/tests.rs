//! Tests of threads and cancellation.

use super::*;

#[test]
fn every_task_runs_once_whatever_the_number_of_threads() {
    for threads in [1, 2, 5] {
        let mut seen = vec![0; 100];
        let work = |calls: &mut usize, task: usize| {
            *calls += 1;
            Ok(task)
        };
        let cancel = Cancel::default();
        for_each(
            Tasks { threads, count: 100, cancel: &cancel },
            || 0,
            work,
            |task| seen[task] += 1,
            || true,
        )
        .unwrap();
        assert!(seen.iter().all(|&count| count == 1));
    }
}

#[test]
fn the_first_error_stops_the_rest() {
    let cancel = Cancel::default();
    let work = |(): &mut (), task: usize| {
        if task == 3 { Err(Error::Invalid("three".into())) } else { Ok(task) }
    };
    let mut received = 0;
    let result = for_each(
        Tasks { threads: 1, count: 1_000, cancel: &cancel },
        || (),
        work,
        |_| received += 1,
        || true,
    );
    assert_eq!(result, Err(Error::Invalid("three".into())));
    assert_eq!(received, 3);
}

#[test]
fn a_poll_that_says_no_cancels() {
    let cancel = Cancel::default();
    let work = |(): &mut (), _| {
        while cancel.check().is_ok() {
            std::thread::sleep(Duration::from_millis(1));
        }
        cancel.check()
    };
    let result =
        for_each(Tasks { threads: 2, count: 8, cancel: &cancel }, || (), work, |()| {}, || false);
    assert_eq!(result, Err(Error::Cancelled));
}

#[test]
fn calls_can_be_made_while_another_waits() {
    let cancel = Cancel::default();
    let inner = || {
        let cancel = Cancel::default();
        for_each(
            Tasks { threads: 2, count: 50, cancel: &cancel },
            || (),
            |(): &mut (), task| Ok(task),
            |_| {},
            || true,
        )
    };
    let mut nested = Ok(());
    let receive = |_| nested = nested.clone().and_then(|()| inner());
    for_each(
        Tasks { threads: 2, count: 50, cancel: &cancel },
        || (),
        |(): &mut (), task| Ok(task),
        receive,
        || true,
    )
    .unwrap();
    assert_eq!(nested, Ok(()));
}

#[test]
fn a_crew_keeps_the_order_and_asks() {
    let cancel = Cancel::default();
    for (threads, brief) in [(1, false), (3, false), (3, true)] {
        let mut asked = 0;
        let mut poll = || {
            asked += 1;
            true
        };
        let mut crew = Crew::new(threads, &cancel, &mut poll);
        let slow = |part: usize| {
            std::thread::sleep(Duration::from_millis(if brief { 0 } else { 10 }));
            Ok(part * part)
        };
        let found = crew.map(20, brief, slow).unwrap();
        assert_eq!(found, (0..20).map(|part| part * part).collect::<Vec<_>>());
        assert_eq!(asked > 0, !brief);
    }
    let mut no = || false;
    let endless = || loop {
        std::thread::sleep(Duration::from_millis(1));
        cancel.check()?;
    };
    let result: Result<()> = Crew::new(2, &cancel, &mut no).one(false, endless);
    assert_eq!(result, Err(Error::Cancelled));
}

#[test]
fn no_tasks_is_no_work() {
    let cancel = Cancel::default();
    let work = |(): &mut (), _| -> Result<()> { unreachable!() };
    assert!(
        for_each(Tasks { threads: 4, count: 0, cancel: &cancel }, || (), work, |()| {}, || true)
            .is_ok()
    );
}
